package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.ledger.BackoffRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import io.stoker.dispatcher.timer.RetriesDue;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Puts failed jobs in line when their wait is over, by an alarm for the next of them: nobody looks
 * at those that wait. The replica that committed a failure sets its alarm; should that replica go,
 * the scheduler's sweep finds what is due.
 */
public final class Retries {
  private static final String STEP = "putting its job in line again";

  private final Environment environment;
  private final Store store;
  private final int atOnce;
  private final long longestMs;
  private final CommitEvents commits;
  private final Isolation<BackoffRow> jobs;
  private final Pump pump;
  private Optional<Alarm> set = Optional.empty();

  private record Alarm(Future<?> timer, long atNanos) {}

  private record Found(List<BackoffRow> due, Optional<Long> nextInMs) {}

  /**
   * @param atOnce how many jobs are put in line in one transaction, at most
   * @param backoff how long they wait
   */
  public Retries(
      Environment environment,
      Store store,
      int atOnce,
      Backoff backoff,
      CommitEvents commits,
      SetAsides asides,
      CodedEnd ends) {
    this.environment = environment;
    this.store = store;
    this.atOnce = atOnce;
    longestMs = backoff.mostMs();
    this.commits = commits;
    pump = new Pump("retries", environment, this::run);
    jobs =
        asides.isolation(
            STEP,
            BackoffRow::job,
            this::putInLine,
            (row, reason) -> ends.job(row.job(), STEP, reason));
  }

  /** Sets the alarm for what a transaction has let wait. */
  public void note(Ledger committed) {
    committed.backedOff().stream()
        .mapToLong(BackoffRow::dueAt)
        .min()
        .ifPresent(dueAt -> setAlarm(dueAt - committed.now()));
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
    return store
        .read(this::find)
        .chain(
            found -> {
              found.nextInMs().ifPresent(this::setAlarm);
              return found.due().isEmpty()
                  ? Uni.createFrom().item(false)
                  : jobs.apply(found.due()).replaceWith(found.due().size() == atOnce);
            });
  }

  private Uni<Found> find(Transaction tx) {
    return tx.backoffs()
        .next()
        .chain(
            next ->
                next.isEmpty()
                    ? Uni.createFrom().item(new Found(List.of(), Optional.empty()))
                    : tx.now().chain(now -> due(tx, next.get(), now)));
  }

  private Uni<Found> due(Transaction tx, long next, long now) {
    return tx.backoffs()
        .due(now, now + longestMs, atOnce, jobs.waiting())
        .map(due -> new Found(due, next > now ? Optional.of(next - now) : Optional.empty()));
  }

  private Uni<Void> putInLine(List<BackoffRow> due) {
    List<String> jobs = due.stream().map(BackoffRow::job).toList();
    return store
        .transaction(
            "retries",
            tx ->
                tx.loadJobs(jobs, false)
                    .invoke(ledger -> RetriesDue.apply(ledger, due))
                    .call(tx::write))
        .invoke(commits::afterIntake)
        .replaceWithVoid();
  }

  /** The earliest counts: it finds the others. */
  private synchronized void setAlarm(long inMs) {
    long delay = Math.max(1, inMs);
    long at = environment.nanos() + TimeUnit.MILLISECONDS.toNanos(delay);
    if (set.isPresent() && set.get().atNanos() - at <= 0) {
      return;
    }
    set.ifPresent(alarm -> alarm.timer().cancel(false));
    set =
        Optional.of(
            new Alarm(
                environment.timer().schedule(() -> ring(at), delay, TimeUnit.MILLISECONDS), at));
  }

  private void ring(long at) {
    synchronized (this) {
      set = set.filter(alarm -> alarm.atNanos() != at);
    }
    pump.wake();
  }
}
