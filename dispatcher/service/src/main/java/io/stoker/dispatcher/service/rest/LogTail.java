package io.stoker.dispatcher.service.rest;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.LogChunk;
import io.stoker.kafka.KafkaAccess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The one partition of the logs topic that a job's output is in, from the job's arrival on. */
final class LogTail implements AutoCloseable {
  /** Clocks of agents and database differ. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(10);

  private static final Duration ANSWER = Duration.ofSeconds(10);

  private static final Map<String, Object> SETTINGS =
      Map.of(
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          false,
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
          false,
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          "earliest",
          ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
          100);

  /**
   * A chunk.
   *
   * @param record as it is on the topic
   */
  record Piece(LogChunk chunk, byte[] record) {}

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final TopicPartition partition;

  private LogTail(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
    this.consumer = consumer;
    this.partition = partition;
  }

  /**
   * @param arrival of the job's first request, ms since 1970
   */
  static LogTail open(KafkaAccess kafka, String topic, String job, long arrival) {
    KafkaConsumer<byte[], byte[]> consumer =
        kafka.consumer(SETTINGS, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    try {
      int partitions = consumer.partitionsFor(topic, ANSWER).size();
      // As every Kafka producer's default partitioner chooses by key.
      int chosen =
          BuiltInPartitioner.partitionForKey(job.getBytes(StandardCharsets.UTF_8), partitions);
      TopicPartition partition = new TopicPartition(topic, chosen);
      consumer.assign(List.of(partition));
      begin(consumer, partition, Math.max(0, arrival - CLOCK_SKEW.toMillis()));
      return new LogTail(consumer, partition);
    } catch (RuntimeException e) {
      consumer.close();
      throw e;
    }
  }

  /** The end is asked for first: what is written before it is known where to begin is read, too. */
  static void begin(Consumer<byte[], byte[]> consumer, TopicPartition partition, long from) {
    long end = consumer.endOffsets(List.of(partition), ANSWER).get(partition);
    OffsetAndTimestamp start =
        consumer.offsetsForTimes(Map.of(partition, from), ANSWER).get(partition);
    consumer.seek(partition, start == null ? end : start.offset());
  }

  /** The offset behind the last record there is now. */
  long end() {
    return consumer.endOffsets(List.of(partition), ANSWER).get(partition);
  }

  long position() {
    return consumer.position(partition, ANSWER);
  }

  List<Piece> poll(Duration atMost) {
    List<Piece> pieces = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(atMost)) {
      piece(record.value()).ifPresent(pieces::add);
    }
    return pieces;
  }

  /**
   * What a record holds, if it is a chunk; else it is somebody's who does not run jobs, and nothing
   * that could be shown. So is one that says it is a dispatcher's own: those are never on the
   * topic.
   *
   * @param value may be null
   */
  static Optional<Piece> piece(byte[] value) {
    try {
      LogChunk chunk = Json.read(value == null ? new byte[0] : value, LogChunk.class);
      boolean possible =
          chunk.n() >= 0 && chunk.attempt() >= 1 && (chunk.rank() == null || chunk.rank() >= 0);
      return possible ? Optional.of(new Piece(chunk, value)) : Optional.empty();
    } catch (MalformedJson e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
