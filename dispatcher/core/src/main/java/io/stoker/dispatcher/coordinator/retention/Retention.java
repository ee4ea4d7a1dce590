package io.stoker.dispatcher.coordinator.retention;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.retention.RetentionTransaction.Step;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.retention.Aged;
import io.stoker.dispatcher.retention.Deadlines;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Goes round over requests and jobs from time to time and drops what has been over for as long as
 * the configuration says; hosts that have been away for long it no longer lists. Where a round
 * stands is soft state: it begins anew with each start.
 */
public final class Retention {
  private static final System.Logger LOG = System.getLogger(Retention.class.getName());

  /** Between two steps, so that a long round leaves the database to others. */
  private static final long APART_NANOS = Duration.ofMillis(50).toNanos();

  private final Environment environment;
  private final Store store;
  private final SetAsides asides;
  private final RetentionTransaction transaction;
  private final StatusPublisher statuses;
  private final Terms terms;
  private final Dropped dropped;
  private final CoalescingTask task;
  private volatile Round round;
  private volatile long nextRoundAt;

  /**
   * How long what is over is kept.
   *
   * @param requests with their statuses, from their end
   * @param results how long a result answers equals, from its end
   * @param hosts how long a host is listed after the last that was heard of it
   * @param every from the end of one round to the next
   */
  public record Terms(Duration requests, Duration results, Duration hosts, Duration every) {
    public Terms {
      atLeast(Duration.ZERO, "requests", requests);
      atLeast(Duration.ZERO, "results", results);
      atLeast(Duration.ZERO, "hosts", hosts);
      atLeast(Duration.ofSeconds(1), "every", every);
    }
  }

  /** Who counts what was dropped. */
  public record Dropped(IntConsumer requests, IntConsumer jobs) {
    public static final Dropped UNCOUNTED = new Dropped(count -> {}, count -> {});
  }

  public Retention(
      Environment environment,
      Store store,
      StatusPublisher statuses,
      Terms terms,
      SetAsides asides,
      Dropped dropped) {
    task = new CoalescingTask("dropping what is old", environment, this::step, () -> APART_NANOS);
    this.environment = environment;
    this.store = store;
    this.statuses = statuses;
    this.terms = terms;
    this.asides = asides;
    this.dropped = dropped;
    transaction = new RetentionTransaction(store);
    nextRoundAt = environment.nanos();
  }

  private static void atLeast(Duration least, String key, Duration given) {
    if (given.compareTo(least) < 0) {
      throw new IllegalArgumentException(
          "stoker.retention.%s is %s, expected %d s or more"
              .formatted(key, given, least.toSeconds()));
    }
  }

  /**
   * Where a round stands.
   *
   * @param arrival of the request looked at last; null once all have been
   * @param job the one looked at last; null once all have been
   */
  private record Round(Deadlines deadlines, Long arrival, String job) {}

  /** Begins a round if it is time for one; called by the replica that schedules. */
  public void wake() {
    if (round != null || environment.nanos() - nextRoundAt >= 0) {
      task.wake();
    }
  }

  public void stop() {
    task.stop();
  }

  private Uni<Boolean> step() {
    Round at = round;
    if (at == null) {
      if (environment.nanos() - nextRoundAt < 0) {
        return Uni.createFrom().item(false);
      }
      return store
          .readOnce(Transaction::now)
          .invoke(
              now ->
                  round =
                      new Round(
                          Deadlines.at(now, terms.requests(), terms.results(), terms.hosts()),
                          0L,
                          ""))
          .replaceWith(true);
    }
    return at.arrival() != null ? requests(at) : at.job() != null ? jobs(at) : end(at);
  }

  private Uni<Boolean> requests(Round at) {
    long before = at.deadlines().requests();
    return transaction
        .requests(at.arrival(), before)
        .onFailure(error -> environment.fault(error) != Fault.OUTAGE)
        .recoverWithUni(() -> requestsApart(at.arrival(), before))
        .invoke(
            step -> {
              count(step, dropped.requests());
              round = new Round(at.deadlines(), step.next().orElse(null), at.job());
              if (step.dropped() > 0) {
                statuses.wake();
              }
            })
        .replaceWith(true);
  }

  /** One that cannot be dropped is passed by: the next round comes to it again. */
  private Uni<Step<Long>> requestsApart(long after, long before) {
    AtomicInteger count = new AtomicInteger();
    Isolation<Aged> requests =
        asides.isolation(
            "dropping what is old",
            Aged::id,
            one ->
                transaction
                    .drop(one.getFirst(), before)
                    .invoke(count::addAndGet)
                    .replaceWithVoid());
    return transaction
        .aged(after, before)
        .chain(
            some ->
                requests
                    .each(some.stream().filter(Aged::over).toList())
                    .map(done -> new Step<>(count.get(), RetentionTransaction.next(some))));
  }

  private Uni<Boolean> jobs(Round at) {
    return transaction
        .jobs(at.job(), at.deadlines())
        .invoke(
            step -> {
              count(step, dropped.jobs());
              round = new Round(at.deadlines(), null, step.next().orElse(null));
            })
        .replaceWith(true);
  }

  private Uni<Boolean> end(Round at) {
    return transaction
        .stops(at.deadlines().requests())
        .chain(more -> more ? Uni.createFrom().item(true) : endGroups(at));
  }

  private Uni<Boolean> endGroups(Round at) {
    return transaction
        .groups(at.deadlines().requests())
        .chain(() -> transaction.hosts(at.deadlines().hosts()))
        .invoke(
            hosts -> {
              nextRoundAt = environment.nanos() + terms.every().toNanos();
              round = null;
            })
        .replaceWith(false);
  }

  private static void count(Step<?> step, IntConsumer counter) {
    if (step.dropped() > 0) {
      counter.accept(step.dropped());
      LOG.log(Level.DEBUG, () -> "dropped " + step.dropped());
    }
  }
}
