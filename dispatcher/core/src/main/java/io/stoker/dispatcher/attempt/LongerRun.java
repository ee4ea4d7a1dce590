package io.stoker.dispatcher.attempt;

import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.LongerTimeout;
import io.stoker.dispatcher.dedup.Needs;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemberEnd;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.UnitOfWork;
import java.time.Duration;
import java.util.List;

/**
 * A job that may run longer than its open attempt was given when it was placed, since a request
 * with a longer time-out has come to share it. Its host is told ({@link LongerTimeout}). Where that
 * came too late, or its agent is one of an earlier version, the attempt is ended at the time-out
 * that it was given: then those requests end that wanted no more, and for the others the job runs
 * again, which costs it no retry.
 */
public final class LongerRun {
  /** By how much clocks and measuring may differ, ms. */
  private static final long ABOUT = 1_000;

  private LongerRun() {}

  /**
   * Jobs of which the unit of work must hold all requests that have not ended by themselves, where
   * an attempt of them may end: those that may have been ended sooner than they had to be.
   */
  public static List<String> sharers(UnitOfWork unit) {
    return unit.jobs().all().stream()
        .filter(job -> job.asked().policy().givenMs() != null)
        .map(JobRow::id)
        .toList();
  }

  /**
   * Whether an attempt was ended at a time-out that its job has no more.
   *
   * @param end of the attempt
   */
  static boolean endedEarly(JobRow job, MemberEnd end) {
    Long given = job.asked().policy().givenMs();
    Long whole = job.asked().policy().timeoutMs();
    return end.category() == FailureCategory.TIMEOUT
        && given != null
        && (whole == null || ran(job, end) + ABOUT < whole);
  }

  /**
   * Ends those whose time is over, and lets the job run again for the others. The unit of work must
   * hold all requests of the job that have not ended by themselves.
   *
   * @return whether there are others
   */
  static boolean goesOn(UnitOfWork unit, JobRow job, MemberEnd end) {
    long ran = ran(job, end) + ABOUT;
    List<RequestRow> sharers =
        unit.requests().all().stream()
            .filter(row -> job.id().equals(row.job()) && row.ended() == null)
            .toList();
    List<RequestRow> over = sharers.stream().filter(row -> timeout(row) <= ran).toList();
    if (over.size() == sharers.size()) {
      return false;
    }
    for (RequestRow row : over) {
      String reason =
          "the job that it shares has run longer than its own timeout of %d s"
              .formatted(Duration.ofMillis(timeout(row)).toSeconds());
      Cancellation.leave(
          unit, row, new Cancellation.Verdict(RequestState.FAILED, Code.TIMED_OUT, reason));
    }
    JobEnd.returned(unit, job, end.reason() + ", and runs again for those who wait longer for it");
    Needs.left(unit, job.id());
    return true;
  }

  private static long timeout(RequestRow row) {
    return StoredRequest.readable(row)
        .flatMap(JobRequest::timeout)
        .map(Duration::toMillis)
        .orElse(Long.MAX_VALUE);
  }

  /** At least what it was given: its agent would not have ended it before. */
  private static long ran(JobRow job, MemberEnd end) {
    Long wall = end.usage() == null ? null : end.usage().wallMs();
    return Math.max(job.asked().policy().givenMs(), wall == null ? 0 : wall);
  }
}
