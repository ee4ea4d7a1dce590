package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd.Where;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Gang;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemberEnd;
import io.stoker.dispatcher.model.PastAttempt;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;
import java.util.Optional;

/**
 * Decides what follows when one host's part of an attempt is over. Of a job on one host that is the
 * attempt. A gang is over when its last member is: the first that ends otherwise than well takes
 * the others along, and then all of it ends as the member did whose end tells most.
 *
 * <p>The unit of work must hold the job, all its open attempts, and what {@link JobEnd} needs.
 */
public final class AttemptEnd {
  private AttemptEnd() {}

  /**
   * Closes the row, and with the last one the attempt.
   *
   * @param backoff how long another attempt waits after a failure that is not its host's
   */
  public static void over(
      UnitOfWork unit, AttemptRow attempt, JobRow job, MemberEnd end, Backoff backoff) {
    over(unit, attempt, job, end, backoff, AttemptHistory.how(attempt, job, end));
  }

  /**
   * The same of an attempt that costs no retry, through no word of its agent.
   *
   * @param how it ended, to those who look back
   */
  public static void over(
      UnitOfWork unit, AttemptRow attempt, JobRow job, MemberEnd end, PastAttempt.How how) {
    over(unit, attempt, job, end, Backoff.NONE, how);
  }

  private static void over(
      UnitOfWork unit,
      AttemptRow attempt,
      JobRow job,
      MemberEnd end,
      Backoff backoff,
      PastAttempt.How how) {
    JobRow there = job.ahead() ? job.change().on(attempt.host()).build() : job;
    close(unit, attempt, there, end, backoff);
    AttemptHistory.keep(unit, attempt, there, end, how);
  }

  private static void close(
      UnitOfWork unit, AttemptRow attempt, JobRow job, MemberEnd end, Backoff backoff) {
    if (job.latest().gang() == null) {
      settle(unit, attempt, job, new Where(attempt.host(), job.latest().devices()), end, backoff);
      return;
    }
    List<AttemptRow> others =
        unit.openMembers(job).stream().filter(one -> one.rank() != attempt.rank()).toList();
    Gang gang =
        job.latest()
            .gang()
            .ended(attempt.rank(), weighed(job.latest().gang(), attempt, others, end));
    if (others.isEmpty()) {
      settle(unit, attempt, job, gang, backoff);
      return;
    }
    unit.close(attempt);
    unit.putJob(job.change().gang(gang).build());
    if (gang.broken() && !job.latest().gang().broken()) {
      endOthers(unit, unit.jobs().get(job.id()), others);
    }
  }

  /**
   * A program whose others are told to end often fails by itself first. So once a gang was told to
   * end, and none had ended badly before, that is why its members end.
   */
  private static MemberEnd weighed(
      Gang gang, AttemptRow attempt, List<AttemptRow> others, MemberEnd end) {
    if (end.succeeded() || gang.broken()) {
      return end;
    }
    Optional<String> told =
        Optional.ofNullable(attempt.cancelReason())
            .or(
                () ->
                    others.stream()
                        .map(AttemptRow::cancelReason)
                        .filter(reason -> reason != null)
                        .findFirst());
    return told.map(end::told).orElse(end);
  }

  private static void endOthers(UnitOfWork unit, JobRow job, List<AttemptRow> others) {
    String reason = job.latest().gang().cause().orElseThrow().told().reason();
    unit.putJob(job.change().reason(reason + "; the others are being ended").build());
    JobEnd.tellSharers(unit, job);
    for (AttemptRow other : others) {
      if (other.cancelReason() == null) {
        unit.attempts().put(other.cancelled(reason));
        unit.tell(other.host(), new ToAgent.Cancel(job.id(), other.number(), reason));
      }
    }
  }

  private static void settle(
      UnitOfWork unit, AttemptRow last, JobRow job, Gang gang, Backoff backoff) {
    Gang.Cause cause = cause(job, gang);
    JobRow whole =
        job.change()
            .gang(gang.closed())
            .exitCode(cause.end().exitCode())
            .usage(gang.usage())
            .build();
    unit.putJob(whole);
    Where where = new Where(cause.host(), gang.member(cause.rank()).devices());
    settle(unit, last, whole, where, cause.told(), backoff);
  }

  /**
   * Who is lost while its gang ends at a time-out that the job has no more was to end anyway: else
   * the loss would be counted, or fail those who wait longer.
   */
  private static Gang.Cause cause(JobRow job, Gang gang) {
    Gang.Cause cause = gang.cause().orElseThrow();
    return cause.end().lost()
        ? gang.first(end -> LongerRun.endedEarly(job, end)).orElse(cause)
        : cause;
  }

  private static void settle(
      UnitOfWork unit, AttemptRow last, JobRow job, Where where, MemberEnd end, Backoff backoff) {
    boolean lost = end.category() == FailureCategory.HOST_LOST;
    switch (end.how()) {
      case SUCCEEDED -> JobEnd.succeeded(unit, job, end.result(), end.reason());
      case INVALID -> JobEnd.end(unit, job, JobState.FAILED, Code.RESULT_INVALID, end.reason());
      case FAILED -> {
        if (LongerRun.endedEarly(job, end) && LongerRun.goesOn(unit, job, end)) {
          return;
        }
        if (lost && last.preempted() != null) {
          madeRoom(unit, last, job);
        } else if (lost) {
          JobEnd.lost(unit, job, where.host(), end.reason());
        } else {
          JobEnd.failed(unit, job, end.category(), where, end.reason(), backoff);
        }
      }
      case RESET -> JobEnd.end(unit, job, JobState.CANCELLED, Code.POOL_RESET, end.reason());
      case RETURNED -> JobEnd.returned(unit, job, end.reason());
      case TOLD -> {
        if (last.preempted() == null) {
          JobEnd.returned(unit, job, end.reason());
        } else {
          madeRoom(unit, last, job);
        }
      }
    }
  }

  private static void madeRoom(UnitOfWork unit, AttemptRow last, JobRow job) {
    JobEnd.preempted(unit, job, last.preempted(), last.cancelReason());
  }
}
