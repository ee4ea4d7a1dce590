package io.stoker.cli.kafka;

import io.stoker.cli.outcome.CliException;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Kafka's consumer as all commands have it: in no group, so that nobody's reading is disturbed. */
final class TopicConsumer {
  /** How long Kafka may take to answer a question: one that is not there was told of before. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Map<String, Object> SETTINGS =
      Map.of(
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          false,
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          "latest",
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
          false,
          ConsumerConfig.FETCH_MIN_BYTES_CONFIG,
          1,
          ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
          1_000,
          ConsumerConfig.CLIENT_ID_CONFIG,
          "stoker-cli");

  private TopicConsumer() {}

  /**
   * Makes one.
   *
   * @throws CliException with exit code 3 if its settings are wrong or it gets no token
   */
  static KafkaConsumer<byte[], byte[]> of(KafkaAccess kafka) {
    try {
      return kafka.consumer(SETTINGS, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    } catch (KafkaException e) {
      throw KafkaTrouble.unreachable(kafka, e);
    }
  }

  /**
   * Those of a topic.
   *
   * @throws CliException with exit code 3 if Kafka lacks it
   */
  static List<TopicPartition> partitions(
      KafkaConsumer<byte[], byte[]> consumer, KafkaAccess kafka, String topic) {
    List<PartitionInfo> found = consumer.partitionsFor(topic, PATIENCE);
    if (found == null || found.isEmpty()) {
      throw CliException.unreachable(
          "Kafka at %s has no topic %s: make it with stoker topics create".formatted(kafka, topic));
    }
    return found.stream().map(info -> new TopicPartition(topic, info.partition())).toList();
  }
}
