package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Isolation;
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
  private final Environment environment;
  private final RetriesTransaction transaction;
  private final CommitEvents commits;
  private final Isolation<BackoffRow> jobs;
  private final CoalescingTask task;
  private Optional<Alarm> set = Optional.empty();

  private record Alarm(Future<?> timer, long atNanos) {}

  public Retries(
      Environment environment,
      RetriesTransaction transaction,
      CommitEvents commits,
      CodedEnd ends) {
    this.environment = environment;
    this.transaction = transaction;
    this.commits = commits;
    task = new CoalescingTask("retries", environment, this::run);
    jobs = ends.ofJobs("putting its job in line again", BackoffRow::job, this::putInLine);
  }

  /** Sets the alarm for what a transaction has let wait. */
  public void note(UnitOfWork committed) {
    committed.backedOff().stream()
        .mapToLong(BackoffRow::dueAt)
        .min()
        .ifPresent(dueAt -> setAlarm(dueAt - committed.now()));
  }

  /** Looks for what is due, and sets the alarm for what is next. */
  public void look() {
    task.wake();
  }

  /** No further runs. */
  public void stop() {
    task.stop();
  }

  private Uni<Boolean> run() {
    return transaction
        .find(jobs.waiting())
        .chain(
            found -> {
              found.nextInMs().ifPresent(this::setAlarm);
              return found.due().isEmpty()
                  ? Uni.createFrom().item(false)
                  : jobs.apply(found.due()).replaceWith(found.more());
            });
  }

  private Uni<Void> putInLine(List<BackoffRow> due) {
    return transaction.putInLine(due).invoke(commits::afterIntake).replaceWithVoid();
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
    task.wake();
  }
}
