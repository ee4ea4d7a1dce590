package io.stoker.agent.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithParentName;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The configuration of an agent that {@link io.stoker.kafka.KafkaAccess} reads. */
@ConfigMapping(prefix = "stoker.kafka")
public interface KafkaConfig {
  Optional<String> bootstrapServers();

  /** Settings of Kafka's clients in its own form. */
  Optional<Path> config();

  /** Single ones, by Kafka's own names. */
  @WithParentName
  Map<String, String> settings();
}
