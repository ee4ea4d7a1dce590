package io.stoker.cli.status;

import io.stoker.cli.kafka.TopicTail;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Every status that is published from the moment on which this was opened. */
public final class StatusTail implements AutoCloseable {
  private final TopicTail tail;
  private final Topics topics;
  private Function<ConsumerRecord<byte[], byte[]>, Optional<RequestStatus>> deadLetters =
      record -> Optional.empty();

  private StatusTail(TopicTail tail, Topics topics) {
    this.tail = tail;
    this.topics = topics;
  }

  public static StatusTail open(KafkaAccess kafka, Topics topics) {
    return new StatusTail(TopicTail.open(kafka, List.of(topics.status())), topics);
  }

  /** As {@link #open}, for one who writes requests and wants to know of those that are refused. */
  public static StatusTail openWithDeadLetters(KafkaAccess kafka, Topics topics) {
    return new StatusTail(
        TopicTail.open(kafka, List.of(topics.status(), topics.deadLetters())), topics);
  }

  /**
   * @param reader which dead letters count, and as what; before it is given, none does
   */
  public void readDeadLetters(
      Function<ConsumerRecord<byte[], byte[]>, Optional<RequestStatus>> reader) {
    deadLetters = reader;
  }

  /** What was published meanwhile; empty after {@code atMost}. */
  public List<RequestStatus> poll(Duration atMost) {
    List<RequestStatus> statuses = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : tail.poll(atMost)) {
      boolean isStatus = record.topic().equals(topics.status());
      (isStatus ? read(record) : deadLetters.apply(record)).ifPresent(statuses::add);
    }
    return statuses;
  }

  /** A record of the status topic; empty for a tombstone or what only a newer Stoker can read. */
  public static Optional<RequestStatus> read(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Json.read(record.value(), RequestStatus.class));
    } catch (MalformedJson e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    tail.close();
  }
}
