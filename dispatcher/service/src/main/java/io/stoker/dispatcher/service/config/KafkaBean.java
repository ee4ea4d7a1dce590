package io.stoker.dispatcher.service.config;

import io.quarkus.runtime.StartupEvent;
import io.smallrye.common.annotation.Identifier;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Map;
import org.eclipse.microprofile.config.Config;
import org.jboss.logging.Logger;

/** The access to Kafka that is configured, for our own clients and for those of the channels. */
@ApplicationScoped
public class KafkaBean {
  private static final Logger LOG = Logger.getLogger(KafkaBean.class);

  /** As configured, also where there is no application yet. */
  public static KafkaAccess access(Config config) {
    return KafkaAccess.of(
        config.getPropertyNames(), key -> config.getOptionalValue(key, String.class).orElse(null));
  }

  @Singleton
  KafkaAccess produce(Config config) {
    return access(config);
  }

  /** What the connector sets every channel's client to. */
  @Singleton
  @Identifier("default-kafka-broker")
  Map<String, Object> channels(KafkaAccess kafka) {
    return kafka.settings();
  }

  void start(@Observes StartupEvent event, KafkaAccess kafka) {
    kafka.warning().ifPresent(LOG::warn);
  }
}
