package io.stoker.dispatcher.service.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.ledger.BackoffRow;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.config.Wakes.Committed;
import io.stoker.dispatcher.service.postgres.BackoffTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.JobLoader;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.timer.RetriesDue;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Puts failed jobs in line when their wait is over, by an alarm for the next of them: nobody looks
 * at those that wait. The replica that committed a failure sets its alarm; should that replica go,
 * the scheduler's sweep finds what is due.
 */
@ApplicationScoped
public class Retries {
  private static final int AT_ONCE = 500;

  private static final String STEP = "putting its job in line again";

  private final Isolation<BackoffRow> jobs;
  private final Database database;
  private final Wakes wakes;
  private final Vertx vertx;
  private final Pump pump;
  private Alarm set = new Alarm(-1, Long.MAX_VALUE);

  private record Alarm(long timer, long atNanos) {
    boolean isSet() {
      return timer >= 0;
    }
  }

  private record Found(List<BackoffRow> due, Optional<Long> nextInMs) {}

  Retries(
      Environment environment,
      Database database,
      Wakes wakes,
      Vertx vertx,
      SetAsides asides,
      CodedEnd ends) {
    pump = new Pump("retries", environment, this::run);
    jobs =
        asides.isolation(
            STEP,
            BackoffRow::job,
            this::putInLine,
            (row, reason) -> ends.job(row.job(), STEP, reason));
    this.database = database;
    this.wakes = wakes;
    this.vertx = vertx;
  }

  void note(@Observes Committed done) {
    done.ledger().backedOff().stream()
        .mapToLong(BackoffRow::dueAt)
        .min()
        .ifPresent(dueAt -> setAlarm(dueAt - done.ledger().now()));
  }

  /** Looks for what is due, and sets the alarm for what is next. */
  public void look() {
    pump.wake();
  }

  /** No further runs. */
  public void stop() {
    pump.stop();
  }

  private Uni<Boolean> run() {
    return database
        .read(this::find)
        .chain(
            found -> {
              found.nextInMs().ifPresent(this::setAlarm);
              return found.due().isEmpty()
                  ? Uni.createFrom().item(false)
                  : jobs.apply(found.due()).replaceWith(found.due().size() == AT_ONCE);
            });
  }

  private Uni<Found> find(StatelessSession session) {
    return BackoffTable.next(session)
        .chain(
            next ->
                next.isEmpty()
                    ? Uni.createFrom().item(new Found(List.of(), Optional.empty()))
                    : Database.now(session).chain(now -> due(session, next.get(), now)));
  }

  private Uni<Found> due(StatelessSession session, long next, long now) {
    return next > now
        ? Uni.createFrom().item(new Found(List.of(), Optional.of(next - now)))
        : BackoffTable.due(session, now, AT_ONCE, jobs.waiting())
            .map(due -> new Found(due, Optional.empty()));
  }

  private Uni<Void> putInLine(List<BackoffRow> due) {
    List<String> jobs = due.stream().map(BackoffRow::job).toList();
    return database
        .transaction(
            session ->
                JobLoader.load(session, jobs, false)
                    .invoke(ledger -> RetriesDue.apply(ledger, due))
                    .call(ledger -> LedgerWriter.write(session, ledger)))
        .invoke(wakes::afterIntake)
        .replaceWithVoid();
  }

  /** The earliest counts: it finds the others. */
  private synchronized void setAlarm(long inMs) {
    long delay = Math.max(1, inMs);
    long at = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delay);
    if (set.isSet() && set.atNanos() - at <= 0) {
      return;
    }
    if (set.isSet()) {
      vertx.cancelTimer(set.timer());
    }
    set = new Alarm(vertx.setTimer(delay, this::ring), at);
  }

  private void ring(long timer) {
    synchronized (this) {
      if (set.timer() == timer) {
        set = new Alarm(-1, Long.MAX_VALUE);
      }
    }
    pump.wake();
  }
}
