package io.stoker.dispatcher.placement;

import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What becomes of jobs that no host can ever serve: their status says so, and in queues that do not
 * let them wait for such a host they are ended.
 */
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
          && left.reason() == Unplaced.Reason.UNSATISFIABLE
          && snapshot.now() - head.arrivedAt() >= patience.get().toMillis()) {
        overdue.put(head.job(), left.sentence());
      }
    }
    return overdue;
  }

  /** Applies verdicts to those still in line. The ledger must hold what {@link JobEnd} needs. */
  public static void apply(Ledger ledger, Verdicts verdicts) {
    verdicts
        .ends()
        .forEach(
            (id, reason) ->
                inLine(ledger, id)
                    .ifPresent(
                        job ->
                            JobEnd.end(ledger, job, JobState.FAILED, Code.UNSATISFIABLE, reason)));
    verdicts
        .tells()
        .forEach(
            (id, reason) ->
                inLine(ledger, id)
                    .filter(job -> job.code() != Code.UNSATISFIABLE)
                    .ifPresent(job -> tell(ledger, job, Code.UNSATISFIABLE, reason)));
    verdicts
        .withdraws()
        .forEach(
            id ->
                inLine(ledger, id)
                    .filter(job -> job.code() == Code.UNSATISFIABLE)
                    .ifPresent(job -> tell(ledger, job, null, null)));
  }

  private static Optional<JobRow> inLine(Ledger ledger, String id) {
    return ledger
        .jobs()
        .find(id)
        .filter(job -> job.state() == JobState.QUEUED && job.role() != JobRow.Role.SUCCESSOR);
  }

  private static void tell(Ledger ledger, JobRow job, Code code, String reason) {
    JobRow told = job.change().waits(code, reason).build();
    ledger.putJob(told);
    JobEnd.tellSharers(ledger, told);
  }
}
