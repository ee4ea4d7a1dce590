package io.stoker.dispatcher.service.protocol;

import static org.awaitility.Awaitility.await;

import io.stoker.common.json.Json;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.scenario.ARequest;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/** What surrounds the dispatcher under test: producers before it, the database behind it. */
final class Site implements AutoCloseable {
  /** The key of records that keep their order. */
  private static final byte[] ONE = utf8("one");

  private final Config config = ConfigProvider.getConfig();
  private final String bootstrap = config.getValue("stoker.kafka.bootstrap-servers", String.class);
  private final Topics topics = new Topics(Topics.DEFAULT_PREFIX);
  private final Statuses statuses = new Statuses(bootstrap, topics.status());

  /** In the first hour of 1970, where no other test's rows are; ms since then. */
  static final long LONG_AGO = 60_000;

  private final TopicLog deadLetters = TopicLog.fromNow(bootstrap, topics.deadLetters());
  private final KafkaProducer<byte[], byte[]> producer =
      new KafkaProducer<>(
          Map.of("bootstrap.servers", bootstrap, "acks", "all", "max.request.size", 16 << 20),
          new ByteArraySerializer(),
          new ByteArraySerializer());

  String bootstrap() {
    return bootstrap;
  }

  Topics topics() {
    return topics;
  }

  Statuses statuses() {
    return statuses;
  }

  TopicLog deadLetters() {
    return deadLetters;
  }

  /** Why a record was put aside; waits for that. */
  String deadLetterReason(RecordMetadata sent) {
    return TopicLog.header(deadLetter(sent), "stoker-reason");
  }

  /** What was put aside of a record; waits for that. */
  ConsumerRecord<byte[], byte[]> deadLetter(RecordMetadata sent) {
    return deadLetters.await("dead letter of " + sent, record -> isOf(sent, record));
  }

  /** What was put aside of an array's element; waits for that. */
  ConsumerRecord<byte[], byte[]> deadLetter(RecordMetadata sent, int index) {
    return deadLetters.await(
        "dead letter of " + index + " in " + sent,
        record ->
            isOf(sent, record)
                && String.valueOf(index).equals(TopicLog.header(record, "stoker-index")));
  }

  /** All that was put aside of a record by now. */
  List<ConsumerRecord<byte[], byte[]>> deadLettersOf(RecordMetadata sent) {
    return deadLetters.all().stream().filter(record -> isOf(sent, record)).toList();
  }

  private static boolean isOf(RecordMetadata sent, ConsumerRecord<byte[], byte[]> letter) {
    List<String> origin =
        List.of(sent.topic(), String.valueOf(sent.partition()), String.valueOf(sent.offset()));
    return Stream.of("stoker-topic", "stoker-partition", "stoker-offset")
        .map(name -> TopicLog.header(letter, name))
        .toList()
        .equals(origin);
  }

  /** An id that no other test uses. */
  static String unique(String word) {
    return word + "-" + UUID.randomUUID().toString().substring(0, 8);
  }

  /** Posts requests, in this order in one partition. */
  void post(ARequest... requests) {
    for (ARequest request : requests) {
      byte[] value = utf8(request.json());
      producer.send(new ProducerRecord<>(topics.requests(), ONE, value));
    }
    producer.flush();
  }

  /** Posts a request to a queue's own topic. */
  void postTo(String queue, ARequest request) {
    send(topics.requests(queue), utf8(request.json()), Map.of());
  }

  /** Posts any bytes; keyed alike, so that they keep their order. */
  RecordMetadata post(byte[] value, Map<String, String> headers) {
    return send(topics.requests(), value, headers);
  }

  /** Puts any message on a topic. */
  RecordMetadata send(String topic, Object message) {
    return send(topic, Json.bytes(message), Map.of());
  }

  /** Puts any bytes on a topic under a key of their own. */
  RecordMetadata put(String topic, String key, byte[] value) {
    return put(topic, utf8(key), value);
  }

  /** The same, whatever the key is. */
  RecordMetadata put(String topic, byte[] key, byte[] value) {
    return sent(topic, producer.send(new ProducerRecord<>(topic, key, value)));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Puts messages on a topic in this order, without waiting for one before the next. */
  List<RecordMetadata> sendTogether(String topic, List<byte[]> values) {
    List<Future<RecordMetadata>> sent =
        values.stream()
            .map(value -> producer.send(new ProducerRecord<>(topic, ONE, value)))
            .toList();
    return sent.stream().map(one -> sent(topic, one)).toList();
  }

  RecordMetadata send(String topic, byte[] value, Map<String, String> headers) {
    var record = new ProducerRecord<>(topic, ONE, value);
    headers.forEach((name, text) -> record.headers().add(new RecordHeader(name, utf8(text))));
    return sent(topic, producer.send(record));
  }

  private static RecordMetadata sent(String topic, Future<RecordMetadata> sent) {
    try {
      return sent.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("not sent to " + topic, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** A connection that is not the dispatcher's. */
  Connection database() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:" + config.getValue("stoker.postgres.url", String.class),
        config.getValue("stoker.postgres.user", String.class),
        config.getValue("stoker.postgres.password", String.class));
  }

  /** The first column of a query, as text. */
  List<String> query(String sql, Object... parameters) throws SQLException {
    try (Connection connection = database()) {
      return query(connection, sql, parameters);
    }
  }

  static List<String> query(Connection connection, String sql, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = prepared(connection, sql, parameters);
        ResultSet rows = statement.executeQuery()) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found;
    }
  }

  static int update(Connection connection, String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = prepared(connection, sql, parameters)) {
      return statement.executeUpdate();
    }
  }

  private static PreparedStatement prepared(Connection connection, String sql, Object... parameters)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  /** Makes a request, and its job if that has ended, as old as {@link #LONG_AGO}. */
  void age(String id) throws SQLException {
    try (Connection database = database()) {
      update(
          database,
          "update job set ended_at = ? where ended_at is not null and id = (select job from request"
              + " where id = ?)",
          LONG_AGO,
          id);
      update(
          database,
          "update request set seq = ?, version = case when ended is null then version else ? end,"
              + " queued_at = case when queued_at is not null then ? end where id = ?",
          Arrival.first(LONG_AGO),
          LONG_AGO,
          LONG_AGO,
          id);
    }
  }

  /** Until so many of the dispatcher's transactions wait for somebody's lock. */
  void awaitWaiting(int transactions) {
    awaitWaitingOr(transactions, () -> false);
  }

  /** The same, or until something else is so. */
  void awaitWaitingOr(int transactions, BooleanSupplier other) {
    await()
        .atMost(TopicLog.PATIENCE)
        .until(() -> other.getAsBoolean() || waitingForLocks() >= transactions);
  }

  private int waitingForLocks() throws SQLException {
    String sql =
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and application_name"
            + " = 'stoker-dispatcher'";
    return Integer.parseInt(query(sql).get(0));
  }

  @Override
  public void close() {
    statuses.close();
    deadLetters.close();
    producer.close();
  }
}
