package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Set;

/**
 * Ends a job whose placement cannot be sent to its host: it never will be, however often it is
 * tried. The attempt closes as one that was told to end, once its host is heard not to have it:
 * what is too large today may have been sent when it was a little smaller.
 *
 * <p>The unit of work must hold the job, its open attempts, and what {@link JobEnd} needs.
 */
public final class Unsendable {
  /** Of the ends of such jobs, which are nobody's wish. */
  static final Set<Code> CODES = Set.of(Code.TOO_LARGE, Code.DEPENDENCY_FAILED);

  private Unsendable() {}

  /**
   * Tells the attempt to end, unless it is over, was accepted, or was told before.
   *
   * @param code of the job's end, one of {@link #CODES}
   * @param reason with figures, for people
   */
  public static void end(UnitOfWork unit, AttemptRow.Key attempt, Code code, String reason) {
    AttemptRow open = unit.attempts().find(attempt).orElse(null);
    if (open == null || open.accepted() || open.cancelReason() != null) {
      return;
    }
    JobRow job = unit.jobs().get(open.job());
    for (AttemptRow member : unit.openMembers(job)) {
      unit.attempts().put(member.cancelled(reason));
      unit.tell(member.host(), new ToAgent.Cancel(job.id(), member.number(), reason));
    }
    if (!job.ending()) {
      unit.putJob(job.change().ending(code).reason(reason).build());
      JobEnd.tellSharers(unit, job);
    }
  }
}
