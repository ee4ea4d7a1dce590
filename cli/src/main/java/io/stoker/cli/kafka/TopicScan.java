package io.stoker.cli.kafka;

import io.stoker.cli.CliException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What is in a topic now, read once from some place to its end, for nobody's group. */
public final class TopicScan {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofSeconds(1);

  private TopicScan() {}

  /**
   * Reads, of each partition in order.
   *
   * @param since where to begin; empty = at the beginning
   * @param last at most so many of each partition, the newest
   * @throws CliException with exit code 3 if Kafka does not answer or lacks the topic
   */
  public static void read(
      String bootstrap,
      String topic,
      Optional<Instant> since,
      OptionalLong last,
      Consumer<ConsumerRecord<byte[], byte[]>> reader) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            settings(bootstrap), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = partitions(consumer, bootstrap, topic);
      consumer.assign(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
      Map<TopicPartition, Long> from =
          new HashMap<>(consumer.beginningOffsets(partitions, PATIENCE));
      since.ifPresent(when -> later(consumer, from, ends, when));
      last.ifPresent(many -> from.replaceAll((part, at) -> Math.max(at, ends.get(part) - many)));
      from.forEach(consumer::seek);
      while (!isRead(consumer, ends)) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          if (record.offset() < ends.get(new TopicPartition(record.topic(), record.partition()))) {
            reader.accept(record);
          }
        }
      }
    } catch (KafkaException e) {
      throw KafkaTrouble.unreachable(bootstrap, e);
    }
  }

  private static boolean isRead(
      KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey(), PATIENCE) >= end.getValue());
  }

  private static void later(
      KafkaConsumer<byte[], byte[]> consumer,
      Map<TopicPartition, Long> from,
      Map<TopicPartition, Long> ends,
      Instant since) {
    Map<TopicPartition, Long> times = new HashMap<>();
    from.keySet().forEach(part -> times.put(part, since.toEpochMilli()));
    Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times, PATIENCE);
    from.replaceAll(
        (part, at) -> found.get(part) == null ? ends.get(part) : found.get(part).offset());
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
        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
        false,
        ConsumerConfig.CLIENT_ID_CONFIG,
        "stoker-cli");
  }
}
