package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;

/**
 * Ends a job whose placement cannot be sent to its host: it never will be, however often it is
 * tried. The attempt closes as one that was told to end, once its host is heard not to have it:
 * what is too large today may have been sent when it was a little smaller.
 *
 * <p>The ledger must hold the job, its open attempts, and what {@link JobEnd} needs.
 */
public final class Unsendable {
  private Unsendable() {}

  /**
   * Tells the attempt to end, unless it is over, was accepted, or was told before.
   *
   * @param reason with figures, for people
   */
  public static void end(Ledger ledger, AttemptRow.Key attempt, String reason) {
    AttemptRow open = ledger.attempts().find(attempt).orElse(null);
    if (open == null || open.accepted() || open.cancelReason() != null) {
      return;
    }
    JobRow job = ledger.jobs().get(open.job());
    for (AttemptRow member : ledger.openMembers(job)) {
      ledger.attempts().put(member.cancelled(reason));
      ledger.tell(member.host(), new ToAgent.Cancel(job.id(), member.number(), reason));
    }
    if (!job.ending()) {
      ledger.putJob(job.change().ending(Code.TOO_LARGE).reason(reason).build());
      JobEnd.tellSharers(ledger, job);
    }
  }
}
