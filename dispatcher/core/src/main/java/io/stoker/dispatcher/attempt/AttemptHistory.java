package io.stoker.dispatcher.attempt;

import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemberEnd;
import io.stoker.dispatcher.model.PastAttempt;
import io.stoker.dispatcher.model.PastAttempt.How;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;

/**
 * Keeps what is known of attempts that are over. Of a plain job that ends with its first attempt
 * its own row tells, and no other is written: most jobs are such.
 */
final class AttemptHistory {
  private AttemptHistory() {}

  /**
   * In what way it ended, as far as its end tells.
   *
   * @param job as it was before
   */
  static How how(AttemptRow attempt, JobRow job, MemberEnd end) {
    return switch (end.how()) {
      case SUCCEEDED -> How.SUCCEEDED;
      case INVALID -> How.FAILED;
      case FAILED -> end.category() == FailureCategory.HOST_LOST ? How.LOST : How.FAILED;
      case RESET -> How.RESET;
      case RETURNED -> How.RETURNED;
      case TOLD -> told(attempt, job);
    };
  }

  private static How told(AttemptRow attempt, JobRow job) {
    if (attempt.preempted() != null) {
      return How.PREEMPTED;
    }
    if (job.ending()) {
      return How.CANCELLED;
    }
    if (job.latest().gang() != null && job.latest().gang().broken()) {
      return How.WITH_GANG;
    }
    // Agents that stop end what they run, unasked.
    return attempt.cancelReason() == null ? How.RETURNED : How.DRAINED;
  }

  /**
   * Keeps an attempt that was closed just now.
   *
   * @param before its job, before that
   */
  static void keep(UnitOfWork unit, AttemptRow attempt, JobRow before, MemberEnd end, How how) {
    boolean over = unit.jobs().find(before.id()).filter(JobRow::live).isEmpty();
    if (over && attempt.number() == 1 && before.latest().gang() == null) {
      return;
    }
    unit.past(
        new PastAttempt(
            attempt.job(),
            attempt.number(),
            attempt.rank(),
            attempt.host(),
            devices(attempt, before),
            attempt.placedAt(),
            attempt.runningSince(),
            unit.now(),
            how,
            end.category(),
            end.reason(),
            end.exitCode(),
            end.usage()));
  }

  /** What it said last that it has; its job knows of that once it runs. */
  private static List<String> devices(AttemptRow attempt, JobRow job) {
    if (job.latest().gang() != null) {
      return job.latest().gang().member(attempt.rank()).devices();
    }
    boolean accepted = job.latest().devices().isEmpty() && attempt.devices() != null;
    return accepted ? attempt.devices() : job.latest().devices();
  }
}
