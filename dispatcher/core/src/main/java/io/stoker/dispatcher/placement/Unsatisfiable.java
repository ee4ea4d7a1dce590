package io.stoker.dispatcher.placement;

import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Decides what follows for jobs that no host can ever serve: their status says so, and in queues
 * that do not let them wait for such a host they are ended.
 */
public final class Unsatisfiable {
  private Unsatisfiable() {}

  /**
   * Jobs whose queue's patience with them is over, each with the reason.
   *
   * @param hopeless as this pass, and those before it, have found
   */
  static Map<String, String> overdue(Snapshot snapshot, Decision decision, HopelessLines hopeless) {
    Map<String, String> overdue = new LinkedHashMap<>();
    for (QueueHead head : snapshot.heads()) {
      Optional<Duration> patience = snapshot.standing(head.queue()).settings().failUnsatisfiable();
      UnschedulableReason left = decision.unplaced().get(head.job());
      if (patience.isPresent()
          && left != null
          && left.reason() == UnschedulableReason.Reason.UNSATISFIABLE
          && hopeless.standsFor(head, snapshot.now()) >= patience.get().toMillis()) {
        overdue.put(head.job(), left.sentence());
      }
    }
    return overdue;
  }

  /**
   * Applies verdicts to those still in line. The unit of work must hold what {@link JobEnd} needs.
   */
  public static void apply(UnitOfWork unit, Verdicts verdicts) {
    verdicts
        .ends()
        .forEach(
            (id, reason) ->
                inLine(unit, id)
                    .ifPresent(
                        job -> JobEnd.end(unit, job, JobState.FAILED, Code.UNSATISFIABLE, reason)));
    verdicts
        .tells()
        .forEach(
            (id, reason) ->
                inLine(unit, id)
                    .filter(job -> job.code() != Code.UNSATISFIABLE)
                    .ifPresent(job -> tell(unit, job, Code.UNSATISFIABLE, reason)));
    verdicts
        .withdraws()
        .forEach(
            id ->
                inLine(unit, id)
                    .filter(job -> job.code() == Code.UNSATISFIABLE)
                    .ifPresent(job -> tell(unit, job, null, null)));
  }

  private static Optional<JobRow> inLine(UnitOfWork unit, String id) {
    return unit.jobs()
        .find(id)
        .filter(job -> job.state() == JobState.QUEUED && job.role() != JobRow.Role.SUCCESSOR);
  }

  private static void tell(UnitOfWork unit, JobRow job, Code code, String reason) {
    JobRow told = job.change().waits(code, reason).build();
    unit.putJob(told);
    JobEnd.tellSharers(unit, told);
  }
}
