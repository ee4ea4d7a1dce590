package io.stoker.dispatcher.placement;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.AttemptRow.Preempted;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.ReadyRow;
import io.stoker.dispatcher.placement.Preemption.Plan;
import java.util.List;
import java.util.Optional;

/**
 * Tells jobs to end for another one's sake. Each goes back to the line when it is over on all of
 * its hosts, and the attempt counts for no failure.
 *
 * <p>The ledger must hold the victims, all their open attempts, the job that gets their room, and
 * its first request.
 */
public final class Preempting {
  private Preempting() {}

  /**
   * Applies a plan if everybody is where they were when it was made: all of it, or nothing, since a
   * part would make no room.
   *
   * @return whether it was applied
   */
  public static boolean apply(Ledger ledger, Plan plan) {
    Optional<JobRow> waiting =
        ledger
            .jobs()
            .find(plan.hold().job())
            .filter(job -> job.state() == JobState.QUEUED && job.role() != JobRow.Role.SUCCESSOR);
    if (waiting.isEmpty() || !plan.victims().stream().allMatch(one -> isAsItWas(ledger, one))) {
      return false;
    }
    plan.victims().forEach(victim -> end(ledger, ledger.jobs().get(victim.job()), waiting.get()));
    return true;
  }

  /** Sharers may have come meanwhile who do not allow it, or who make it more urgent. */
  private static boolean isAsItWas(Ledger ledger, Running victim) {
    Optional<JobRow> found = ledger.jobs().find(victim.job());
    if (found.isEmpty()) {
      return false;
    }
    JobRow job = found.get();
    List<AttemptRow> open = ledger.openMembers(job);
    return job.state() == JobState.RUNNING
        && !job.ending()
        && job.policy().preemptible()
        && job.priority() == victim.priority()
        && job.attempt() == victim.members().getFirst().number()
        && open.size() == victim.members().size()
        && open.stream().allMatch(row -> row.cancelReason() == null);
  }

  private static void end(Ledger ledger, JobRow job, JobRow waiting) {
    boolean same = job.queue().equals(waiting.queue());
    String reason =
        same
            ? "preempted for request %s, which has the higher priority %d"
                .formatted(waiting.firstRequest(), waiting.priority())
            : "preempted for request %s, whose queue %s has less than its share"
                .formatted(waiting.firstRequest(), waiting.queue());
    Long behind = same ? ReadyRow.behindHigher(job.policy().aging(), ledger.now()) : null;
    Preempted by = new Preempted(waiting.id(), behind);
    for (AttemptRow row : ledger.openMembers(job)) {
      ledger.attempts().put(row.preempted(by, reason));
      ledger.tell(row.host(), new ToAgent.Cancel(job.id(), row.number(), reason));
    }
    JobRow told = job.change().reason("is being ended: " + reason).build();
    ledger.putJob(told);
    JobEnd.tellSharers(ledger, told);
  }
}
