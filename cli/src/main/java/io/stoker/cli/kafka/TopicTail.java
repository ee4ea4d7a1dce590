package io.stoker.cli.kafka;

import io.stoker.cli.CliException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * All that is written to some topics from the moment on which this was opened. It belongs to no
 * group: nobody else's reading is disturbed, and nothing is left at the broker.
 */
public final class TopicTail implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final KafkaConsumer<byte[], byte[]> consumer;

  private TopicTail(KafkaConsumer<byte[], byte[]> consumer) {
    this.consumer = consumer;
  }

  /**
   * Opens at the topics' ends. What is written after this returned is read, to the last record.
   *
   * @throws CliException with exit code 3 if Kafka does not answer or lacks a topic
   */
  public static TopicTail open(String bootstrap, List<String> topics) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            settings(bootstrap), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    try {
      List<TopicPartition> partitions = new ArrayList<>();
      for (String topic : topics) {
        partitions.addAll(partitions(consumer, bootstrap, topic));
      }
      consumer.assign(partitions);
      consumer.seekToEnd(partitions);
      // Seeking is lazy: only asking for a position fixes it.
      partitions.forEach(partition -> consumer.position(partition, PATIENCE));
      return new TopicTail(consumer);
    } catch (KafkaException e) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
      throw KafkaTrouble.unreachable(bootstrap, e);
    } catch (RuntimeException e) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
      throw e;
    }
  }

  /**
   * All that is ever written to the first partitions of topics that are still to be made.
   *
   * @throws CliException with exit code 3 if Kafka's address cannot be read
   */
  public static TopicTail ofNewTopics(String bootstrap, List<String> topics) {
    try {
      KafkaConsumer<byte[], byte[]> consumer =
          new KafkaConsumer<>(
              settings(bootstrap), new ByteArrayDeserializer(), new ByteArrayDeserializer());
      List<TopicPartition> partitions =
          topics.stream().map(topic -> new TopicPartition(topic, 0)).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      return new TopicTail(consumer);
    } catch (KafkaException e) {
      throw KafkaTrouble.unreachable(bootstrap, e);
    }
  }

  /** What came in meanwhile; empty after {@code atMost}, or at once after {@link #wakeUp}. */
  public Iterable<ConsumerRecord<byte[], byte[]>> poll(Duration atMost) {
    try {
      return consumer.poll(atMost);
    } catch (WakeupException | InterruptException e) {
      return ConsumerRecords.empty();
    }
  }

  /** Whether a broker can be heard. */
  public boolean isConnected() {
    return consumer.metrics().values().stream()
        .filter(metric -> metric.metricName().name().equals("connection-count"))
        .anyMatch(metric -> ((Number) metric.metricValue()).doubleValue() > 0);
  }

  /** Ends a {@link #poll} that goes on in another thread, or the next one. */
  public void wakeUp() {
    consumer.wakeup();
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }

  private static List<TopicPartition> partitions(
      KafkaConsumer<byte[], byte[]> consumer, String bootstrap, String topic) {
    List<PartitionInfo> found = consumer.partitionsFor(topic, PATIENCE);
    if (found == null || found.isEmpty()) {
      throw CliException.unreachable(
          "Kafka at %s has no topic %s: make it with stoker topics create"
              .formatted(bootstrap, topic));
    }
    return found.stream().map(info -> new TopicPartition(topic, info.partition())).toList();
  }

  private static Map<String, Object> settings(String bootstrap) {
    return Map.of(
        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
        bootstrap,
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
  }
}
