package io.stoker.cli.kafka;

import io.stoker.cli.outcome.CliException;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Reads a topic once, from some place to its present end, for nobody's group. */
public final class TopicScan {
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
      KafkaAccess kafka,
      String topic,
      Optional<Instant> since,
      OptionalLong last,
      Consumer<ConsumerRecord<byte[], byte[]>> reader) {
    try (KafkaConsumer<byte[], byte[]> consumer = TopicConsumer.of(kafka)) {
      List<TopicPartition> partitions = TopicConsumer.partitions(consumer, kafka, topic);
      consumer.assign(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, TopicConsumer.PATIENCE);
      Map<TopicPartition, Long> from =
          new HashMap<>(consumer.beginningOffsets(partitions, TopicConsumer.PATIENCE));
      since.ifPresent(when -> later(consumer, from, ends, when));
      last.ifPresent(many -> from.replaceAll((part, at) -> Math.max(at, ends.get(part) - many)));
      from.forEach(consumer::seek);
      Silence silence = Silence.of(consumer);
      while (!isRead(consumer, ends)) {
        silence.look();
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          if (record.offset() < ends.get(new TopicPartition(record.topic(), record.partition()))) {
            reader.accept(record);
          }
        }
      }
    } catch (KafkaException e) {
      throw KafkaTrouble.unreachable(kafka, e);
    }
  }

  private static boolean isRead(
      KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey(), TopicConsumer.PATIENCE) >= end.getValue());
  }

  private static void later(
      KafkaConsumer<byte[], byte[]> consumer,
      Map<TopicPartition, Long> from,
      Map<TopicPartition, Long> ends,
      Instant since) {
    Map<TopicPartition, Long> times = new HashMap<>();
    from.keySet().forEach(part -> times.put(part, since.toEpochMilli()));
    Map<TopicPartition, OffsetAndTimestamp> found =
        consumer.offsetsForTimes(times, TopicConsumer.PATIENCE);
    from.replaceAll(
        (part, at) -> found.get(part) == null ? ends.get(part) : found.get(part).offset());
  }
}
