package io.stoker.dispatcher.service.protocol;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;

/** Everything that comes on a topic; read when somebody asks. */
final class TopicLog implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration PAUSE = Duration.ofMillis(10);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();

  private TopicLog(String bootstrap) {
    consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                bootstrap,
                "allow.auto.create.topics",
                false,
                // What else is asked, a topic's end for one, waits for the fetch that is under way.
                "fetch.max.wait.ms",
                20),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
  }

  /** A topic that is there. */
  static TopicLog fromNow(String bootstrap, String topic) {
    TopicLog log = new TopicLog(bootstrap);
    List<TopicPartition> partitions =
        log.consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList();
    log.consumer.assign(partitions);
    log.consumer.seekToEnd(partitions);
    partitions.forEach(log.consumer::position);
    return log;
  }

  /** All that a topic has; waits until it is there. */
  static TopicLog whole(String bootstrap, String topic) {
    TopicLog log = new TopicLog(bootstrap);
    List<TopicPartition> partitions = new ArrayList<>();
    until(
        topic,
        () -> {
          log.consumer
              .listTopics()
              .getOrDefault(topic, List.of())
              .forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
          return !partitions.isEmpty();
        });
    log.consumer.assign(partitions);
    log.consumer.seekToBeginning(partitions);
    return log;
  }

  /** A topic of one partition, that need not be there yet. */
  static TopicLog fromStart(String bootstrap, String topic) {
    TopicLog log = new TopicLog(bootstrap);
    List<TopicPartition> partition = List.of(new TopicPartition(topic, 0));
    log.consumer.assign(partition);
    log.consumer.seekToBeginning(partition);
    return log;
  }

  /** What has just come, if anything. */
  List<ConsumerRecord<byte[], byte[]>> poll() {
    List<ConsumerRecord<byte[], byte[]>> fresh = new ArrayList<>();
    consumer.poll(POLL).forEach(fresh::add);
    records.addAll(fresh);
    return fresh;
  }

  /** All that the topic, which must be there, holds now and that had not come yet. */
  List<ConsumerRecord<byte[], byte[]>> rest() {
    Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
    List<ConsumerRecord<byte[], byte[]>> fresh = new ArrayList<>();
    until(
        "the end of " + ends.keySet(),
        () -> {
          fresh.addAll(poll());
          return ends.entrySet().stream()
              .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
        });
    return fresh;
  }

  /** All that has come by now, in its order. */
  List<ConsumerRecord<byte[], byte[]>> all() {
    rest();
    return List.copyOf(records);
  }

  /**
   * The first record that fits, once it has come.
   *
   * @throws org.awaitility.core.ConditionTimeoutException if none comes in time
   */
  ConsumerRecord<byte[], byte[]> await(
      String what, Predicate<ConsumerRecord<byte[], byte[]>> wanted) {
    List<ConsumerRecord<byte[], byte[]>> found =
        new ArrayList<>(records.stream().filter(wanted).toList());
    until(
        what,
        () -> {
          if (found.isEmpty()) {
            poll().stream().filter(wanted).forEach(found::add);
          }
          return !found.isEmpty();
        });
    return found.getFirst();
  }

  /**
   * Asks until it is so, with a pause in between: who asks the database would else keep it from
   * those who are waited for.
   *
   * @throws org.awaitility.core.ConditionTimeoutException if it does not become so in time
   */
  static void until(String what, BooleanSupplier so) {
    Awaitility.await(what)
        .atMost(PATIENCE)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(PAUSE)
        .until(so::getAsBoolean);
  }

  static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
  }

  static String key(ConsumerRecord<byte[], byte[]> record) {
    return record.key() == null ? null : new String(record.key(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
