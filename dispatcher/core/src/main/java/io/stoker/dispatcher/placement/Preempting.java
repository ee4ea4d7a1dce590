package io.stoker.dispatcher.placement;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.AttemptRow.Preempted;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.Preemption.Plan;
import java.util.List;
import java.util.Optional;

/**
 * Tells jobs to end for another one's sake. Each goes back to the line when it is over on all of
 * its hosts, and the attempt counts for no failure.
 *
 * <p>The unit of work must hold the victims, all their open attempts, the job that gets their room,
 * and its first request.
 */
public final class Preempting {
  private Preempting() {}

  /**
   * Applies a plan if everybody is where they were when it was made: all of it, or nothing, since a
   * part would make no room. Returns whether it was applied.
   */
  public static boolean apply(UnitOfWork unit, Plan plan) {
    Optional<JobRow> waiting =
        unit.jobs()
            .find(plan.hold().job())
            .filter(job -> job.state() == JobState.QUEUED && job.role() != JobRow.Role.SUCCESSOR);
    if (waiting.isEmpty() || !plan.victims().stream().allMatch(one -> isAsItWas(unit, one))) {
      return false;
    }
    plan.victims().forEach(victim -> end(unit, unit.jobs().get(victim.job()), waiting.get()));
    return true;
  }

  /** Sharers may have come meanwhile who do not allow it, or who make it more urgent. */
  private static boolean isAsItWas(UnitOfWork unit, Running victim) {
    Optional<JobRow> found = unit.jobs().find(victim.job());
    if (found.isEmpty()) {
      return false;
    }
    JobRow job = found.get();
    List<AttemptRow> open = unit.openMembers(job);
    return job.state() == JobState.RUNNING
        && !job.ending()
        && job.asked().policy().preemptible()
        && job.asked().priority() == victim.priority()
        && job.latest().number() == victim.members().getFirst().number()
        && open.size() == victim.members().size()
        && open.stream().allMatch(row -> row.cancelReason() == null);
  }

  private static void end(UnitOfWork unit, JobRow job, JobRow waiting) {
    boolean same = job.asked().queue().equals(waiting.asked().queue());
    String reason =
        same
            ? "preempted for request %s, which has the higher priority %d"
                .formatted(waiting.asked().firstRequest(), waiting.asked().priority())
            : "preempted for request %s, whose queue %s has less than its share"
                .formatted(waiting.asked().firstRequest(), waiting.asked().queue());
    Long behind = same ? ReadyRow.behindHigher(job.asked().policy().aging(), unit.now()) : null;
    Preempted by = new Preempted(waiting.id(), behind);
    for (AttemptRow row : unit.openMembers(job)) {
      unit.attempts().put(row.preempted(by, reason));
      unit.tell(row.host(), new ToAgent.Cancel(job.id(), row.number(), reason));
    }
    JobRow told = job.change().reason("is being ended: " + reason).build();
    unit.putJob(told);
    JobEnd.tellSharers(unit, told);
  }
}
