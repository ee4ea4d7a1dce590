package io.stoker.agent.config;

import io.smallrye.common.annotation.Identifier;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;
import java.util.Map;
import org.eclipse.microprofile.config.Config;

/** The settings by which Kafka and its topics are reached. */
@ApplicationScoped
public class KafkaSettings {
  /** {@code stoker.topics.*}. */
  @ConfigMapping(prefix = "stoker.topics")
  public interface TopicNames {
    @WithDefault("stoker.")
    String prefix();
  }

  /** The access that is configured, also where there is no application yet. */
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
}
