package io.stoker.cli.run;

import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.status.StatusTail;
import io.stoker.cli.status.Statuses;
import io.stoker.cli.status.WhyWaiting;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Follows one request that is about to be posted: its output, and its status until its end. */
public final class JobFollower implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(500);

  /** The logs come another way than the end, and may come after it, or never if their host died. */
  private static final Duration LOGS_AFTER_END = Duration.ofSeconds(5);

  private final String id;
  private final Topics topics;
  private final TopicTail tail;
  private final JobOutput output;
  private final OthersOutput others;
  private final Statuses statuses = new Statuses();
  private volatile boolean cancelled;

  /** The last attempt of which output came. */
  private int begun;

  private JobFollower(
      String id, Topics topics, TopicTail tail, JobOutput output, OthersOutput others) {
    this.id = id;
    this.topics = topics;
    this.tail = tail;
    this.output = output;
    this.others = others;
  }

  /**
   * From here on, nothing that concerns the request is missed.
   *
   * @param others writes the output where another request's job answers it
   */
  public static JobFollower open(
      KafkaAccess kafka, Topics topics, String id, JobOutput output, OthersOutput others) {
    TopicTail tail = TopicTail.open(kafka, List.of(topics.status(), topics.logs()));
    return new JobFollower(id, topics, tail, output, others);
  }

  /** Asks for the request's end as soon as it is known; may be called from any thread. */
  public void cancel() {
    cancelled = true;
    tail.wakeUp();
  }

  /**
   * Returns the final status once all output is written.
   *
   * @param canceller ends the request; is called at most once, after {@link #cancel}
   * @param why is told of the wait for the request's start
   */
  public RequestStatus awaitEnd(Runnable canceller, WhyWaiting why) {
    boolean told = false;
    Optional<RequestStatus> end = end();
    while (end.isEmpty()) {
      // What was only just posted is unknown to the dispatcher for a moment.
      if (cancelled && !told && statuses.of(id).isPresent()) {
        told = true;
        canceller.run();
      }
      int before = begun;
      boolean moved = read(POLL);
      end = end();
      if (begun > before) {
        why.runs(id, statuses.of(id));
      }
      if (end.isEmpty()) {
        why.look(List.of(id), statuses::of, moved);
      }
    }
    awaitOutput(end.get());
    return end.get();
  }

  private void awaitOutput(RequestStatus end) {
    if (others.isThere()) {
      others.await(end);
      output.end();
      return;
    }
    long start = System.nanoTime();
    Duration left = LOGS_AFTER_END;
    // Without an exit code no process ran, and there is nothing to wait for.
    int members = end.members() == null ? 1 : end.members().size();
    while (end.exitCode() != null
        && !isSilent(end)
        && !output.isComplete(end.attempt(), members)
        && left.isPositive()) {
      read(left);
      left = LOGS_AFTER_END.minusNanos(System.nanoTime() - start);
    }
    output.end();
  }

  /** Whether no output was written, and no last piece of it comes. */
  private static boolean isSilent(RequestStatus end) {
    return end.usage() != null && Boolean.TRUE.equals(end.usage().silent());
  }

  private Optional<RequestStatus> end() {
    return statuses.of(id).filter(status -> status.state().terminal());
  }

  /** Whether a status came, of whomever. */
  private boolean read(Duration atMost) {
    boolean moved = false;
    for (ConsumerRecord<byte[], byte[]> record : tail.poll(atMost)) {
      if (record.topic().equals(topics.logs())) {
        chunk(record).ifPresent(this::write);
      } else {
        moved = true;
        StatusTail.read(record).filter(status -> status.id().equals(id)).ifPresent(this::apply);
      }
    }
    return moved;
  }

  private void write(LogChunk chunk) {
    begun = Math.max(begun, chunk.attempt());
    output.write(chunk);
  }

  private void apply(RequestStatus status) {
    statuses.apply(status);
    others.look(status, output);
  }

  private Optional<LogChunk> chunk(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Optional.of(Json.read(record.value(), LogChunk.class))
          .filter(chunk -> id.equals(chunk.request()));
    } catch (MalformedJson e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    tail.close();
  }
}
