package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd.Where;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Gang;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.MemberEnd;
import io.stoker.dispatcher.ledger.PastAttempt;
import java.util.List;
import java.util.Optional;

/**
 * What follows when what one host had of an attempt is over. Of a job on one host that is the
 * attempt. A gang is over when its last member is: the first that ends otherwise than well takes
 * the others along, and then all of it ends as the member did whose end tells most.
 *
 * <p>The ledger must hold the job, all its open attempts, and what {@link JobEnd} needs.
 */
public final class AttemptEnd {
  private AttemptEnd() {}

  /**
   * Closes the row, and with the last one the attempt.
   *
   * @param backoff how long another attempt waits after a failure that is not its host's
   */
  public static void over(
      Ledger ledger, AttemptRow attempt, JobRow job, MemberEnd end, Backoff backoff) {
    over(ledger, attempt, job, end, backoff, AttemptHistory.how(attempt, job, end));
  }

  /**
   * The same of an attempt that costs no retry, through no word of its agent.
   *
   * @param how it ended, to those who look back
   */
  public static void over(
      Ledger ledger, AttemptRow attempt, JobRow job, MemberEnd end, PastAttempt.How how) {
    over(ledger, attempt, job, end, Backoff.NONE, how);
  }

  private static void over(
      Ledger ledger,
      AttemptRow attempt,
      JobRow job,
      MemberEnd end,
      Backoff backoff,
      PastAttempt.How how) {
    JobRow there = job.ahead() ? job.change().on(attempt.host()).build() : job;
    close(ledger, attempt, there, end, backoff);
    AttemptHistory.keep(ledger, attempt, there, end, how);
  }

  private static void close(
      Ledger ledger, AttemptRow attempt, JobRow job, MemberEnd end, Backoff backoff) {
    if (job.gang() == null) {
      settle(ledger, attempt, job, new Where(attempt.host(), job.devices()), end, backoff);
      return;
    }
    List<AttemptRow> others =
        ledger.openMembers(job).stream().filter(one -> one.rank() != attempt.rank()).toList();
    Gang gang = job.gang().ended(attempt.rank(), weighed(job.gang(), attempt, others, end));
    if (others.isEmpty()) {
      settle(ledger, attempt, job, gang, backoff);
      return;
    }
    ledger.close(attempt);
    ledger.putJob(job.change().gang(gang).build());
    if (gang.broken() && !job.gang().broken()) {
      endOthers(ledger, ledger.jobs().get(job.id()), others);
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

  private static void endOthers(Ledger ledger, JobRow job, List<AttemptRow> others) {
    String reason = job.gang().cause().orElseThrow().told().reason();
    ledger.putJob(job.change().reason(reason + "; the others are being ended").build());
    JobEnd.tellSharers(ledger, job);
    for (AttemptRow other : others) {
      if (other.cancelReason() == null) {
        ledger.attempts().put(other.cancelled(reason));
        ledger.tell(other.host(), new ToAgent.Cancel(job.id(), other.number(), reason));
      }
    }
  }

  private static void settle(
      Ledger ledger, AttemptRow last, JobRow job, Gang gang, Backoff backoff) {
    Gang.Cause cause = cause(job, gang);
    JobRow whole =
        job.change()
            .gang(gang.closed())
            .exitCode(cause.end().exitCode())
            .usage(gang.usage())
            .build();
    ledger.putJob(whole);
    Where where = new Where(cause.host(), gang.member(cause.rank()).devices());
    settle(ledger, last, whole, where, cause.told(), backoff);
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
      Ledger ledger, AttemptRow last, JobRow job, Where where, MemberEnd end, Backoff backoff) {
    boolean lost = end.category() == FailureCategory.HOST_LOST;
    switch (end.how()) {
      case SUCCEEDED -> JobEnd.succeeded(ledger, job, end.result(), end.reason());
      case INVALID -> JobEnd.end(ledger, job, JobState.FAILED, Code.RESULT_INVALID, end.reason());
      case FAILED -> {
        if (LongerRun.endedEarly(job, end) && LongerRun.goesOn(ledger, job, end)) {
          return;
        }
        if (lost && last.preempted() != null) {
          madeRoom(ledger, last, job);
        } else if (lost) {
          JobEnd.lost(ledger, job, where.host(), end.reason());
        } else {
          JobEnd.failed(ledger, job, end.category(), where, end.reason(), backoff);
        }
      }
      case RESET -> JobEnd.end(ledger, job, JobState.CANCELLED, Code.POOL_RESET, end.reason());
      case RETURNED -> JobEnd.returned(ledger, job, end.reason());
      case TOLD -> {
        if (last.preempted() == null) {
          JobEnd.returned(ledger, job, end.reason());
        } else {
          madeRoom(ledger, last, job);
        }
      }
    }
  }

  private static void madeRoom(Ledger ledger, AttemptRow last, JobRow job) {
    JobEnd.preempted(ledger, job, last.preempted(), last.cancelReason());
  }
}
