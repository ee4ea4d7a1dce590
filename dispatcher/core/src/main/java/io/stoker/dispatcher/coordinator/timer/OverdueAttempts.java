package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.timer.SweepRules;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Closes attempts that nobody has accepted and nobody holds. */
public final class OverdueAttempts {
  private final Store store;
  private final Function<String, Optional<Heartbeat>> lastHeartbeats;
  private final Ends ends;
  private final SetAsides asides;
  private final Isolation<String> jobs;

  /**
   * @param lastHeartbeats by host; nothing where none was heard
   */
  public OverdueAttempts(
      Store store,
      Function<String, Optional<Heartbeat>> lastHeartbeats,
      Ends ends,
      CodedEnd coded) {
    this.store = store;
    this.lastHeartbeats = lastHeartbeats;
    this.ends = ends;
    asides = coded.asides();
    jobs = coded.ofJobs("closing its attempt", job -> job, this::close);
  }

  /**
   * Closes those of these that are overdue.
   *
   * @param rows hosts, read after them
   */
  Uni<Void> close(List<AttemptRow> untold, List<HostRow> rows) {
    return asides.step(
        "closing overdue attempts",
        () ->
            jobs.apply(
                untold.stream()
                    .filter(attempt -> isOverdue(attempt, rows))
                    .map(AttemptRow::job)
                    .distinct()
                    .toList()));
  }

  private boolean isOverdue(AttemptRow attempt, List<HostRow> rows) {
    return rows.stream()
        .filter(row -> row.id().equals(attempt.host()))
        .anyMatch(row -> SweepRules.overdue(attempt, row, lastHeartbeats.apply(row.id())));
  }

  private Uni<Void> close(List<String> jobs) {
    return store
        .transaction(
            "overdue attempts",
            tx ->
                tx.hosts()
                    .all()
                    .chain(
                        rows ->
                            tx.loadJobs(jobs, true)
                                .invoke(
                                    unit ->
                                        SweepRules.close(
                                            unit, attempt -> isOverdue(attempt, rows))))
                    .call(tx::write))
        .invoke(ends::follow)
        .replaceWithVoid();
  }
}
