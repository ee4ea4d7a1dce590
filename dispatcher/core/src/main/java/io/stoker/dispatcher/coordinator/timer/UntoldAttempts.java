package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;

/** Sees to attempts whose agents may not have been told something, and closes those in vain. */
public final class UntoldAttempts {
  private final Store store;
  private final OverdueAttempts overdue;
  private final UnacceptedAttempts unaccepted;
  private final AgentReminders reminders;
  private final long publishAgainMs;

  /**
   * @param publishAgainMs how old an attempt is, at least, until it is looked at
   */
  public UntoldAttempts(
      Store store,
      OverdueAttempts overdue,
      UnacceptedAttempts unaccepted,
      AgentReminders reminders,
      long publishAgainMs) {
    this.store = store;
    this.overdue = overdue;
    this.unaccepted = unaccepted;
    this.reminders = reminders;
    this.publishAgainMs = publishAgainMs;
  }

  /** Looks at all. */
  public Uni<Void> chase() {
    return store
        .read(this::untold)
        .chain(untold -> untold.attempts().isEmpty() ? Uni.createFrom().voidItem() : chase(untold));
  }

  private Uni<Untold> untold(Transaction tx) {
    return tx.attempts()
        .untold()
        .chain(
            open ->
                open.isEmpty()
                    ? Uni.createFrom().item(open)
                    : tx.now().map(now -> older(open, now)))
        // After them: where their hosts are is what the heartbeats are compared with.
        .chain(
            open ->
                open.isEmpty()
                    ? Uni.createFrom().item(new Untold(open, List.of()))
                    : tx.hosts().all().map(rows -> new Untold(open, rows)));
  }

  /**
   * What is placed in the future was placed while the clock was ahead: nobody knows how long ago.
   */
  private List<AttemptRow> older(List<AttemptRow> open, long now) {
    return open.stream()
        .filter(attempt -> attempt.placedAt() + publishAgainMs < now || attempt.placedAt() > now)
        .toList();
  }

  private record Untold(List<AttemptRow> attempts, List<HostRow> hosts) {}

  private Uni<Void> chase(Untold found) {
    List<AttemptRow> untold = found.attempts();
    return overdue
        .close(untold, found.hosts())
        .chain(
            () ->
                unaccepted.publish(untold.stream().filter(attempt -> !attempt.accepted()).toList()))
        .chain(() -> reminders.remind(untold));
  }
}
