package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.AttemptRow.State;
import io.stoker.dispatcher.model.Gang;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;

/**
 * Starts all members of a gang once each of them is ready. Its members hold what they were given
 * and wait; when all have accepted, each is told where rank 0 is to be met, and told again until it
 * runs: the row that is ACCEPTED and not RUNNING owes it.
 *
 * <p>The unit of work must hold the job and all its open attempts.
 */
public final class GangStart {
  private GangStart() {}

  /** Tells those that wait, if none is missing. */
  public static void tell(UnitOfWork unit, JobRow job) {
    Gang gang = job.latest().gang();
    if (gang == null || gang.address() == null || gang.broken()) {
      return;
    }
    List<AttemptRow> open = unit.openMembers(job);
    boolean complete = open.stream().allMatch(one -> one.accepted() && one.cancelReason() == null);
    if (complete) {
      open.stream()
          .filter(one -> one.state() == State.ACCEPTED)
          .forEach(
              one ->
                  unit.tell(one.host(), new ToAgent.Start(job.id(), one.number(), gang.address())));
    }
  }

  /** Tells those of all jobs that the unit of work holds. */
  public static void tellAll(UnitOfWork unit) {
    unit.jobs().all().forEach(job -> tell(unit, job));
  }
}
