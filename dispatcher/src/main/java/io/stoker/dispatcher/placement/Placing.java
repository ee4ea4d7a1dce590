package io.stoker.dispatcher.placement;

import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Ids;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns assignments into attempts: out of the line, attempt + 1, an attempt row with token and
 * {@code notAfter}. The row is the outbox: it is published until it is accepted.
 *
 * <p>The ledger must hold the assigned jobs.
 */
public final class Placing {
  private final Ids ids;
  private final long acceptWithinMs;

  /**
   * @param acceptWithinMs how long an agent may take to accept
   */
  public Placing(Ids ids, long acceptWithinMs) {
    this.ids = ids;
    this.acceptWithinMs = acceptWithinMs;
  }

  /** Opens an attempt for each assignment whose job is still in line. */
  public List<AttemptRow> place(Ledger ledger, List<Assignment> assignments) {
    List<AttemptRow> opened = new ArrayList<>();
    for (Assignment assignment : assignments) {
      JobRow job = ledger.jobs().get(assignment.job());
      if (job.state() != JobState.QUEUED || job.role() == JobRow.Role.SUCCESSOR) {
        continue;
      }
      ledger.takeFromReady(job.id());
      JobRow placed = job.change().placed(assignment.host()).build();
      ledger.putJob(placed);
      AttemptRow attempt = open(ledger, placed, assignment);
      ledger.attempts().put(attempt);
      // The attempt's row owes this status: whoever publishes the placement again does both.
      ledger.publishNamed(placed.firstRequest());
      JobEnd.tellSharers(ledger, placed);
      opened.add(attempt);
    }
    return opened;
  }

  private AttemptRow open(Ledger ledger, JobRow job, Assignment assignment) {
    return new AttemptRow(
        job.id(),
        job.attempt(),
        job.queue(),
        assignment.host(),
        ids.token(),
        AttemptRow.State.PLACED,
        0,
        assignment.gpus(),
        assignment.cpuSlots(),
        ledger.now(),
        ledger.now() + acceptWithinMs,
        List.of(),
        null,
        assignment.gpuMemory(),
        assignment.pool());
  }
}
