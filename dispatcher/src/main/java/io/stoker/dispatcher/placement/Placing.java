package io.stoker.dispatcher.placement;

import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Ids;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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

  /** Opens an attempt for each job that is still in line; all that it was assigned, by rank. */
  public List<AttemptRow> place(Ledger ledger, List<Assignment> assignments) {
    List<AttemptRow> opened = new ArrayList<>();
    Map<String, List<Assignment>> byJob =
        assignments.stream()
            .collect(
                Collectors.groupingBy(Assignment::job, LinkedHashMap::new, Collectors.toList()));
    for (List<Assignment> members : byJob.values()) {
      JobRow job = ledger.jobs().get(members.getFirst().job());
      if (job.state() != JobState.QUEUED || job.role() == JobRow.Role.SUCCESSOR) {
        continue;
      }
      ledger.takeFromReady(job.id());
      JobRow placed = placed(job, members);
      ledger.putJob(placed);
      for (int rank = 0; rank < members.size(); rank++) {
        AttemptRow attempt = open(ledger, placed, members.get(rank), rank);
        ledger.attempts().put(attempt);
        opened.add(attempt);
      }
      // The attempt's row owes this status: whoever publishes the placement again does both.
      ledger.publishNamed(placed.firstRequest());
      JobEnd.tellSharers(ledger, placed);
    }
    return opened;
  }

  private static JobRow placed(JobRow job, List<Assignment> members) {
    return members.size() == 1
        ? job.change().placed(members.getFirst().host()).build()
        : job.change().placed(members.stream().map(Assignment::host).toList()).build();
  }

  private AttemptRow open(Ledger ledger, JobRow job, Assignment assignment, int rank) {
    AttemptRow attempt =
        new AttemptRow(
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
            assignment.pool(),
            rank,
            assignment.runner());
    return attempt.promised(assignment.hostMemory());
  }
}
