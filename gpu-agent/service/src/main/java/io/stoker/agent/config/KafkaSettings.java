package io.stoker.agent.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** How to reach Kafka, and what its topics are called. */
public final class KafkaSettings {
  private KafkaSettings() {}

  /** {@code stoker.kafka.*}. */
  @ConfigMapping(prefix = "stoker.kafka")
  public interface Cluster {
    @WithDefault("localhost:9092")
    String bootstrapServers();
  }

  /** {@code stoker.topics.*}. */
  @ConfigMapping(prefix = "stoker.topics")
  public interface TopicNames {
    @WithDefault("stoker.")
    String prefix();
  }
}
