package io.stoker.dispatcher.placement;

import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Snapshot.Head;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Ends jobs that no host can ever serve, in queues that do not let them wait for such a host. */
public final class Unsatisfiable {
  private Unsatisfiable() {}

  /** Jobs whose queue's patience with them is over, each with the reason. */
  public static Map<String, String> overdue(Snapshot snapshot, Decision decision) {
    Map<String, String> overdue = new LinkedHashMap<>();
    for (Head head : snapshot.heads()) {
      Optional<Duration> patience = snapshot.standing(head.queue()).settings().failUnsatisfiable();
      Unplaced left = decision.unplaced().get(head.job());
      if (patience.isPresent()
          && left != null
          && left.reason() == Unplaced.Reason.NEVER
          && snapshot.now() - head.arrivedAt() >= patience.get().toMillis()) {
        overdue.put(head.job(), left.sentence());
      }
    }
    return overdue;
  }

  /** Ends them where they are still in line. The ledger must hold what {@link JobEnd} needs. */
  public static void end(Ledger ledger, Map<String, String> overdue) {
    overdue.forEach(
        (id, reason) -> {
          Optional<JobRow> job = ledger.jobs().find(id);
          if (job.isPresent()
              && job.get().state() == JobState.QUEUED
              && job.get().role() != JobRow.Role.SUCCESSOR) {
            JobEnd.end(ledger, job.get(), JobState.FAILED, Code.UNSATISFIABLE, reason);
          }
        });
  }
}
