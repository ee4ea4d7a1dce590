package io.stoker.dispatcher.service.redis;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.runtime.BatchDelay;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.RestorationTable;
import io.stoker.dispatcher.service.redis.FastMemory.Answer;
import io.stoker.dispatcher.service.redis.FastMemory.Outcome;
import io.stoker.dispatcher.status.StatusListener;
import io.stoker.dispatcher.status.StatusRecord;
import io.vertx.mutiny.redis.client.Command;
import io.vertx.mutiny.redis.client.Request;
import io.vertx.mutiny.redis.client.Response;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Final statuses in Redis, for those who ask by id. It hears of a status once the broker has it,
 * never makes anybody wait, and may lose everything at any moment. What may still change is asked
 * of the database. What was written of one that was restored since counts no more: the ends may be
 * lost.
 */
@ApplicationScoped
public class ReadView implements StatusListener {
  private static final Duration READ = Duration.ofMillis(20);
  private static final Duration WRITE = Duration.ofMillis(250);

  /** From one writing to the next, where there are many. */
  private static final Duration APART = Duration.ofMillis(200);

  /** Statuses that may wait to be written; more are left out, and read from the database. */
  private static final int WAITING = 10_000;

  /** Bytes of them. */
  private static final long WAITING_BYTES = 4L * Limits.AT_ONCE;

  private static final int AT_ONCE = 250;

  private final FastMemory memory;
  private final String names;
  private final Supplier<Uni<Long>> restoredAt;

  /** Of all keys; null until it is known. */
  private volatile String prefix;

  private final Map<String, StatusRecord> waiting = new LinkedHashMap<>();
  private long waitingBytes;
  private final CoalescingTask writer;

  /** Since there was nothing to write. */
  private volatile int written;

  private volatile boolean more;
  private final Counter hits;
  private final Counter misses;
  private final Counter unanswered;
  private final Counter unwritten;

  @Inject
  ReadView(
      Environment environment,
      FastMemory memory,
      Topics topics,
      MeterRegistry meters,
      Database database) {
    this(environment, memory, topics, meters, () -> database.readOnce(RestorationTable::lastAt));
  }

  /**
   * @param restoredAt when the database was restored last, 0 for never
   */
  ReadView(
      Environment environment,
      FastMemory memory,
      Topics topics,
      MeterRegistry meters,
      Supplier<Uni<Long>> restoredAt) {
    writer =
        new CoalescingTask("writing the read view", environment, this::write, this::apartNanos);
    this.memory = memory;
    names = topics.prefix() + "status:";
    this.restoredAt = restoredAt;
    hits = meters.counter("stoker.redis.reads", "outcome", "hit");
    misses = meters.counter("stoker.redis.reads", "outcome", "miss");
    unanswered = meters.counter("stoker.redis.reads", "outcome", "unanswered");
    unwritten = meters.counter("stoker.redis.unwritten");
  }

  /** While dispatchers run no database is restored. */
  private Uni<String> prefix() {
    return prefix != null
        ? Uni.createFrom().item(prefix)
        : restoredAt.get().map(at -> prefix = at == 0 ? names : names + at + "/");
  }

  /** Writes what of it is final. */
  @Override
  public void published(List<StatusRecord> statuses) {
    List<StatusRecord> last = statuses.stream().filter(one -> isFinal(one.status())).toList();
    if (last.isEmpty()) {
      return;
    }
    synchronized (waiting) {
      last.forEach(this::hold);
    }
    writer.wake();
  }

  private static boolean isFinal(RequestStatus status) {
    return status.state().terminal();
  }

  private void hold(StatusRecord record) {
    StatusRecord held = drop(record.status().id());
    StatusRecord next = held == null ? record : newer(held, record);
    if (waiting.size() >= WAITING || waitingBytes + next.json().length > WAITING_BYTES) {
      unwritten.increment();
    } else {
      waiting.put(next.status().id(), next);
      waitingBytes += next.json().length;
    }
  }

  private StatusRecord drop(String id) {
    StatusRecord held = waiting.remove(id);
    waitingBytes -= held == null ? 0 : held.json().length;
    return held;
  }

  /** Removes what is no more; if Redis is away it goes by itself when its time is up. */
  @Override
  public void dropped(List<String> requests) {
    synchronized (waiting) {
      requests.forEach(this::drop);
    }
    prefix()
        .map(of -> requests.stream().map(id -> Request.cmd(Command.DEL).arg(of + id)).toList())
        .chain(removals -> memory.ask(removals, WRITE))
        .subscribe()
        .with(answer -> {}, error -> {});
  }

  /** Writes what of these is final in a moment, unless newer ones are there. */
  public void remember(List<RequestStatus> statuses) {
    published(statuses.stream().filter(ReadView::isFinal).map(StatusRecord::of).toList());
  }

  private static StatusRecord newer(StatusRecord held, StatusRecord next) {
    return next.status().version() >= held.status().version() ? next : held;
  }

  /** The final status of an id; nothing where Redis does not know or does not answer in time. */
  public Uni<Optional<RequestStatus>> find(String id) {
    return prefix()
        .chain(of -> memory.ask(Request.cmd(Command.HGET).arg(of + id).arg("s"), READ))
        .onFailure()
        .recoverWithItem(new Answer<>(Outcome.NOT_ASKED, Optional.empty()))
        .map(answer -> answer.value().flatMap(ReadView::status).or(() -> missed(answer)))
        .invoke(found -> found.ifPresent(status -> hits.increment()));
  }

  private Optional<RequestStatus> missed(Answer<Response> answer) {
    (answer.outcome() == Outcome.ANSWERED ? misses : unanswered).increment();
    return Optional.empty();
  }

  private static Optional<RequestStatus> status(Response response) {
    try {
      return Optional.of(Json.read(response.toBytes(), RequestStatus.class))
          .filter(ReadView::isFinal);
    } catch (MalformedJson e) {
      return Optional.empty(); // not ours, or of another version: the database knows
    }
  }

  /** Where there are many, what came to them in the meantime is written once. */
  private long apartNanos() {
    return more || written < BatchDelay.MANY ? 0 : APART.toNanos();
  }

  /**
   * Writes some. What comes while it writes may never end, so each piece is a run of its own: a
   * chain of them would hold all that it has written.
   */
  private Uni<Boolean> write() {
    return prefix().chain(of -> write(of));
  }

  private Uni<Boolean> write(String of) {
    List<StatusRecord> some = take();
    written = more ? written + some.size() : some.size();
    if (some.isEmpty()) {
      more = false;
      return Uni.createFrom().item(false);
    }
    List<Request> writes =
        some.stream().map(record -> VersionGuard.write(of + record.status().id(), record)).toList();
    return memory
        .eval(writes, VersionGuard.load(), WRITE)
        .map(
            answer -> {
              if (answer.outcome() != Outcome.ANSWERED) {
                unwritten.increment(some.size());
              }
              more = !nothingWaits();
              return more;
            });
  }

  private boolean nothingWaits() {
    synchronized (waiting) {
      return waiting.isEmpty();
    }
  }

  private List<StatusRecord> take() {
    synchronized (waiting) {
      List<StatusRecord> next = waiting.values().stream().limit(AT_ONCE).toList();
      List<StatusRecord> some = Slices.first(next, record -> record.json().length, Limits.AT_ONCE);
      some.forEach(record -> drop(record.status().id()));
      return some;
    }
  }
}
