package io.stoker.dispatcher.service.retention;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.retention.Aged;
import io.stoker.dispatcher.retention.Deadlines;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.retention.RetentionTransaction.Step;
import io.stoker.dispatcher.service.runtime.Faults;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Goes round over requests and jobs from time to time and drops what has been over for as long as
 * the configuration says. Where a round stands is soft state: it begins anew with each start.
 */
@ApplicationScoped
public class Retention {
  private static final Logger LOG = Logger.getLogger(Retention.class);

  /** Between two steps, so that a long round leaves the database to others. */
  private static final long APART_NANOS = Duration.ofMillis(50).toNanos();

  private final Database database;
  private final SetAsides asides;
  private final RetentionTransaction transaction;
  private final StatusPublisher statuses;
  private final Duration keepRequests;
  private final Duration keepResults;
  private final long everyNanos;
  private final Counter droppedRequests;
  private final Counter droppedJobs;
  private final Pump pump;
  private volatile Round round;
  private volatile long nextRoundAt = System.nanoTime();

  Retention(
      Environment environment,
      Database database,
      RetentionTransaction transaction,
      StatusPublisher statuses,
      StokerConfig config,
      SetAsides asides,
      MeterRegistry meters) {
    pump = new Pump("dropping what is old", environment, this::step, () -> APART_NANOS);
    this.asides = asides;
    this.database = database;
    this.transaction = transaction;
    this.statuses = statuses;
    keepRequests = atLeast(Duration.ZERO, "requests", config.retention().requests());
    keepResults = atLeast(Duration.ZERO, "results", config.retention().results());
    everyNanos = atLeast(Duration.ofSeconds(1), "every", config.retention().every()).toNanos();
    droppedRequests = meters.counter("stoker.retention.dropped", "what", "requests");
    droppedJobs = meters.counter("stoker.retention.dropped", "what", "jobs");
  }

  private static Duration atLeast(Duration least, String key, Duration given) {
    if (given.compareTo(least) < 0) {
      throw new IllegalArgumentException(
          "stoker.retention.%s is %s, expected %d s or more"
              .formatted(key, given, least.toSeconds()));
    }
    return given;
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
    if (round != null || System.nanoTime() - nextRoundAt >= 0) {
      pump.wake();
    }
  }

  public void stop() {
    pump.stop();
  }

  private Uni<Boolean> step() {
    Round at = round;
    if (at == null) {
      if (System.nanoTime() - nextRoundAt < 0) {
        return Uni.createFrom().item(false);
      }
      return database
          .readOnce(Database::now)
          .invoke(now -> round = new Round(Deadlines.at(now, keepRequests, keepResults), 0L, ""))
          .replaceWith(true);
    }
    return at.arrival() != null ? requests(at) : at.job() != null ? jobs(at) : end(at);
  }

  private Uni<Boolean> requests(Round at) {
    long before = at.deadlines().requests();
    return transaction
        .requests(at.arrival(), before)
        .onFailure(error -> Faults.of(error) != Fault.OUTAGE)
        .recoverWithUni(() -> requestsApart(at.arrival(), before))
        .invoke(
            step -> {
              count(step, droppedRequests);
              round = new Round(at.deadlines(), step.next().orElse(null), at.job());
              if (step.dropped() > 0) {
                statuses.wake();
              }
            })
        .replaceWith(true);
  }

  /** One that cannot be dropped is passed by: the next round comes to it again. */
  private Uni<Step<Long>> requestsApart(long after, long before) {
    AtomicInteger dropped = new AtomicInteger();
    Isolation<Aged> requests =
        asides.isolation(
            "dropping what is old",
            Aged::id,
            one ->
                transaction
                    .drop(one.getFirst(), before)
                    .invoke(dropped::addAndGet)
                    .replaceWithVoid());
    return transaction
        .aged(after, before)
        .chain(
            some ->
                requests
                    .each(some.stream().filter(Aged::over).toList())
                    .map(done -> new Step<>(dropped.get(), RetentionTransaction.next(some))));
  }

  private Uni<Boolean> jobs(Round at) {
    return transaction
        .jobs(at.job(), at.deadlines())
        .invoke(
            step -> {
              count(step, droppedJobs);
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
        .invoke(
            groups -> {
              nextRoundAt = System.nanoTime() + everyNanos;
              round = null;
            })
        .replaceWith(false);
  }

  private static void count(Step<?> step, Counter counter) {
    if (step.dropped() > 0) {
      counter.increment(step.dropped());
      LOG.debugf("dropped %d", step.dropped());
    }
  }
}
