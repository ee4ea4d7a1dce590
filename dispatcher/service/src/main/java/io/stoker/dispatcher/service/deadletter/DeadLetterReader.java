package io.stoker.dispatcher.service.deadletter;

import io.stoker.common.text.PlainText;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.config.TopicReading;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the newest dead letters for who asks, for nobody's group. */
@ApplicationScoped
public class DeadLetterReader {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final KafkaAccess kafka;
  private final String topic;

  DeadLetterReader(KafkaAccess kafka, Topics topics) {
    this.kafka = kafka;
    this.topic = topics.deadLetters();
  }

  /**
   * A record that was set aside because it is wrong.
   *
   * @param at when, ISO 8601
   * @param topic it came by
   * @param partition of that topic
   * @param offset there
   * @param index of the request within its record; null if the record was no array of requests
   * @param key as received; null if it had none
   * @param reason what is wrong with it
   * @param value its first 64 KiB, as received
   */
  public record Letter(
      String at,
      String topic,
      String partition,
      String offset,
      String index,
      String key,
      String reason,
      String value) {}

  /**
   * What was found.
   *
   * @param letters the newest first
   * @param older whether there are older ones, which were not looked at
   */
  public record Letters(List<Letter> letters, boolean older) {}

  /**
   * The newest, so many of each partition; blocks until they are read.
   *
   * @throws KafkaException if Kafka does not answer
   */
  public Letters newest(int most) {
    Map<String, Object> settings = new HashMap<>(TopicReading.SETTINGS);
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 100);
    try (KafkaConsumer<byte[], byte[]> consumer =
        kafka.consumer(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = TopicReading.partitions(consumer, topic);
      consumer.assign(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
      boolean older = false;
      for (var first : consumer.beginningOffsets(partitions, PATIENCE).entrySet()) {
        long from = Math.max(first.getValue(), ends.get(first.getKey()) - most);
        older |= from > first.getValue();
        consumer.seek(first.getKey(), from);
      }
      List<ConsumerRecord<byte[], byte[]>> all = read(consumer, ends, PATIENCE);
      Comparator<ConsumerRecord<byte[], byte[]>> byTime =
          Comparator.comparingLong(ConsumerRecord::timestamp);
      return new Letters(
          all.stream().sorted(byTime.reversed()).map(DeadLetterReader::letter).toList(), older);
    }
  }

  /**
   * All up to the ends.
   *
   * @param patience for which nothing may come
   * @throws TimeoutException if that is over: the reader would wait for as long as a broker is away
   */
  static List<ConsumerRecord<byte[], byte[]>> read(
      Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, Duration patience) {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    long heard = System.nanoTime();
    while (!isRead(consumer, ends)) {
      ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
      polled.forEach(all::add);
      heard = polled.isEmpty() ? heard : System.nanoTime();
      if (System.nanoTime() - heard > patience.toNanos()) {
        throw new TimeoutException("no dead letters came for " + patience);
      }
    }
    return all;
  }

  private static boolean isRead(Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey(), PATIENCE) >= end.getValue());
  }

  private static Letter letter(ConsumerRecord<byte[], byte[]> record) {
    return new Letter(
        Instant.ofEpochMilli(record.timestamp()).toString(),
        header(record, "stoker-topic").orElse(""),
        header(record, "stoker-partition").orElse(""),
        header(record, "stoker-offset").orElse(""),
        header(record, "stoker-index").orElse(null),
        text(record.key()),
        header(record, "stoker-reason").orElse(""),
        text(record.value() == null ? new byte[0] : record.value()));
  }

  private static Optional<String> header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? Optional.empty() : Optional.of(text(header.value()));
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : PlainText.wellFormed(new String(bytes, StandardCharsets.UTF_8));
  }
}
