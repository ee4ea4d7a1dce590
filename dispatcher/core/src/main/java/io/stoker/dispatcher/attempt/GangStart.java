package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.AttemptRow.State;
import io.stoker.dispatcher.ledger.Gang;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.List;

/**
 * Lets a gang go. Its members hold what they were given and wait; when all have accepted, each is
 * told where rank 0 is to be met, and told again until it runs: the row that is ACCEPTED and not
 * RUNNING owes it.
 *
 * <p>The ledger must hold the job and all its open attempts.
 */
public final class GangStart {
  private GangStart() {}

  /** Tells those that wait, if none is missing. */
  public static void tell(Ledger ledger, JobRow job) {
    Gang gang = job.gang();
    if (gang == null || gang.address() == null || gang.broken()) {
      return;
    }
    List<AttemptRow> open = ledger.openMembers(job);
    boolean complete = open.stream().allMatch(one -> one.accepted() && one.cancelReason() == null);
    if (complete) {
      open.stream()
          .filter(one -> one.state() == State.ACCEPTED)
          .forEach(
              one ->
                  ledger.tell(
                      one.host(), new ToAgent.Start(job.id(), one.number(), gang.address())));
    }
  }

  /** Tells those of all jobs that the ledger holds. */
  public static void tellAll(Ledger ledger) {
    ledger.jobs().all().forEach(job -> tell(ledger, job));
  }
}
