package io.stoker.cli.bench;

import io.stoker.cli.kafka.RecordWriter;
import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.status.StatusTail;
import io.stoker.cli.terminal.ProgressLine;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Posts one request after the other, each when the one before has ended, and times each. */
final class OneByOne implements AutoCloseable {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Target target;
  private final ProgressLine progress;
  private final TopicTail tail;
  private final RecordWriter writer;
  private final Requests requests;

  /** When processes started, by job, in ms since 1970: the agent says so in its events. */
  private final Map<String, Long> started = new HashMap<>();

  private OneByOne(
      Target target,
      Requests requests,
      ProgressLine progress,
      TopicTail tail,
      RecordWriter writer) {
    this.target = target;
    this.requests = requests;
    this.progress = progress;
    this.tail = tail;
    this.writer = writer;
  }

  /** Milliseconds from produce, one a job. */
  record Times(double[] toStarted, double[] toSucceeded) {}

  private record End(RequestStatus status, long nanos) {}

  static OneByOne open(Target target, Requests requests, ProgressLine progress) {
    List<String> topics = List.of(target.topics().status(), target.topics().events());
    return new OneByOne(
        target,
        requests,
        progress,
        TopicTail.open(target.kafka(), topics),
        new RecordWriter(target.kafka(), target.topics().requests(), 0));
  }

  Times run(String what, int jobs) {
    double[] toStarted = new double[jobs];
    double[] toSucceeded = new double[jobs];
    for (int i = 0; i < jobs; i++) {
      progress.update("%s: %,d of %,d".formatted(what, i, jobs));
      Requests.Made request = requests.next();
      double producedAt = wallMillis();
      long produced = System.nanoTime();
      writer.send(request.id(), request.body());
      End end = awaitEnd(request.id());
      toSucceeded[i] = (end.nanos() - produced) / 1e6;
      toStarted[i] = awaitStart(end.status()) - producedAt;
    }
    return new Times(toStarted, toSucceeded);
  }

  private End awaitEnd(String id) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < PATIENCE.toNanos()) {
      Optional<RequestStatus> end = read(id);
      if (end.isPresent()) {
        if (end.get().state() != RequestState.SUCCEEDED) {
          throw CliException.failed("%s ended %s".formatted(id, end.get()));
        }
        return new End(end.get(), System.nanoTime());
      }
    }
    throw CliException.failed(
        "%s has not ended within %d s: is there a host that may take it?"
            .formatted(id, PATIENCE.toSeconds()));
  }

  /** The events that led to a status are on their topic before it. */
  private double awaitStart(RequestStatus status) {
    long start = System.nanoTime();
    while (!started.containsKey(status.job())) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw CliException.failed("no event says when job %s started".formatted(status.job()));
      }
      read(status.id());
    }
    // Whole milliseconds, cut off: the middle of it errs least.
    return started.remove(status.job()) + 0.5;
  }

  private Optional<RequestStatus> read(String id) {
    Optional<RequestStatus> end = Optional.empty();
    for (ConsumerRecord<byte[], byte[]> record : tail.poll(POLL)) {
      if (record.topic().equals(target.topics().events())) {
        events(record).forEach(this::note);
      } else {
        Optional<RequestStatus> before = end;
        end =
            StatusTail.read(record)
                .filter(status -> status.id().equals(id) && status.state().terminal())
                .or(() -> before);
      }
    }
    return end;
  }

  private void note(AttemptEvent event) {
    if (event.startedAt() != null) {
      started.putIfAbsent(event.job(), event.startedAt());
    }
  }

  private static List<AttemptEvent> events(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Json.read(record.value(), EventsRecord.class).events();
    } catch (MalformedJson e) {
      return List.of();
    }
  }

  private static double wallMillis() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1e3 + now.getNano() / 1e6;
  }

  @Override
  public void close() {
    tail.close();
    writer.close();
  }
}
