package io.stoker.dispatcher.service.backup;

import io.stoker.dispatcher.backup.Position;
import io.stoker.dispatcher.backup.Reach.Partition;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads what is in topics from an offset to the end that they had when they were looked at. */
final class TopicReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(500);

  /** Polls without any progress. */
  private static final int PATIENCE = 120;

  private final KafkaConsumer<byte[], byte[]> consumer;

  TopicReader(KafkaAccess kafka) {
    consumer =
        kafka.consumer(
            Map.of(
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "none",
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
  }

  /** Takes one record after the other. */
  interface Taker<E extends Exception> {
    void take(ConsumerRecord<byte[], byte[]> record) throws E;
  }

  /**
   * All records from these offsets on.
   *
   * @param from one of each partition
   * @param there the partitions
   * @throws Refused if they are not there any more
   */
  <E extends Exception> void each(List<Position> from, List<Partition> there, Taker<E> taker)
      throws E {
    Map<TopicPartition, Long> ends =
        there.stream().collect(Collectors.toMap(one -> partition(one.at()), Partition::end));
    consumer.assign(ends.keySet());
    from.forEach(one -> consumer.seek(partition(one), one.offset()));
    int idle = 0;
    while (ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
      var records = poll();
      idle = records.isEmpty() ? idle + 1 : 0;
      if (idle > PATIENCE) {
        throw new TimeoutException("topics %s are not read to their ends".formatted(ends));
      }
      for (ConsumerRecord<byte[], byte[]> record : records) {
        if (record.offset() < ends.get(new TopicPartition(record.topic(), record.partition()))) {
          taker.take(record);
        }
      }
    }
  }

  private ConsumerRecords<byte[], byte[]> poll() {
    try {
      return consumer.poll(POLL);
    } catch (OffsetOutOfRangeException e) {
      throw new Refused(
          "the topics do not have all that came after the backup any more: no offset %s"
              .formatted(e.offsetOutOfRangePartitions()));
    }
  }

  /**
   * The offset behind the last record of a partition, or {@code from} if there is none from there
   * on: what ends a transaction takes an offset, too, and nobody ever commits that.
   */
  Position behindLast(Position from, Partition there) {
    for (long back = 1; ; back *= 8) {
      long begin = Math.max(from.offset(), there.end() - back);
      if (begin >= there.end()) {
        return from;
      }
      long[] last = {-1};
      each(List.of(from.at(begin)), List.of(there), record -> last[0] = record.offset());
      if (last[0] >= 0) {
        return from.at(last[0] + 1);
      }
      if (begin == from.offset()) {
        return from;
      }
    }
  }

  private static TopicPartition partition(Position position) {
    return new TopicPartition(position.topic(), position.partition());
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
  }
}
