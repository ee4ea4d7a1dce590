package io.stoker.dispatcher.timer;

import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.dedup.LongerTimeout;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides what a time-out ends. The unit of work must hold what {@link Cancellation} needs of every
 * request that a timer names.
 */
public final class TimeOuts {
  /** A job that is not in line may come back to it: its time of waiting is looked at again then. */
  private static final long AGAIN_MS = 10_000;

  private TimeOuts() {}

  /**
   * Applies timers that are due; each is stopped by it.
   *
   * @param neverPosted by request, a dependency of it that was never posted, if there is one
   */
  public static void apply(UnitOfWork unit, List<TimerRow> due, Map<String, String> neverPosted) {
    for (TimerRow timer : due) {
      Optional<RequestRow> live =
          unit.requests().find(timer.request()).filter(row -> !unit.stateOf(row.id()).terminal());
      Optional<TimerRow> later = live.flatMap(row -> later(unit, timer, row));
      if (later.isPresent()) {
        unit.startTimer(later.get());
      } else {
        unit.stopTimer(timer.kind(), timer.request());
        live.ifPresent(row -> apply(unit, timer, row, neverPosted.get(row.id())));
      }
    }
  }

  private static Optional<TimerRow> later(UnitOfWork unit, TimerRow timer, RequestRow row) {
    if (row.job() == null || timer.kind() == TimerRow.Kind.DEPENDENCY_TIMEOUT) {
      return Optional.empty();
    }
    JobRow job = unit.jobs().get(row.job());
    long dueAt =
        timer.kind() == TimerRow.Kind.RUN_TIMEOUT
            ? runsUntil(unit, row, job)
            : waitsUntil(unit, row, job);
    return dueAt > unit.now()
        ? Optional.of(new TimerRow(timer.kind(), timer.request(), dueAt))
        : Optional.empty();
  }

  /**
   * A run's time counts from its start: a timer that has run out before looks again when that may
   * be. Where the job itself has no more time than the request wants, its agent sees to it.
   */
  private static long runsUntil(UnitOfWork unit, RequestRow row, JobRow job) {
    LongerTimeout.tell(unit, job); // what was told when it became so may be lost
    long time = timeout(row).toMillis();
    Long ofJob = job.asked().policy().timeoutMs();
    long from =
        ofJob != null && ofJob <= time
            ? unit.now()
            : unit.openAttempt(job).map(AttemptRow::runningSince).orElse(unit.now());
    return from + time;
  }

  /**
   * Waiting goes on through placements that come to nothing; once the job has run, it counts anew
   * from when it got in line again.
   */
  private static long waitsUntil(UnitOfWork unit, RequestRow row, JobRow job) {
    long time =
        Optional.of(row)
            .filter(one -> !one.specLeftOut())
            .flatMap(StoredRequest::readable)
            .flatMap(JobRequest::queueTimeout)
            .map(Duration::toMillis)
            .orElse(0L);
    if (job.shown() == RequestState.QUEUED) {
      Long since = job.asked().policy().inLineSince();
      return since == null || since == 0 ? unit.now() : since + time;
    }
    boolean runs = job.state() == JobState.RUNNING;
    return unit.now() + Math.max(runs ? time : 0, AGAIN_MS);
  }

  private static Duration timeout(RequestRow row) {
    return StoredRequest.parse(row).timeout().orElseThrow();
  }

  private static void apply(UnitOfWork unit, TimerRow timer, RequestRow row, String neverPosted) {
    switch (timer.kind()) {
      case DEPENDENCY_TIMEOUT -> {
        if (row.waiting() && neverPosted != null) {
          String reason = "dependency " + neverPosted + " was not posted in time";
          end(unit, row, Code.DEPENDENCY_TIMEOUT, reason);
        }
      }
      case QUEUE_TIMEOUT ->
          end(unit, row, Code.QUEUE_TIMEOUT, "waited in the queue longer than queueTimeout");
      case RUN_TIMEOUT -> {
        String reason =
            "the job that it shares has run longer than its own timeout of %d s"
                .formatted(timeout(row).toSeconds());
        end(unit, row, Code.TIMED_OUT, reason);
      }
    }
    unit.publishDue(row.id());
  }

  private static void end(UnitOfWork unit, RequestRow row, Code code, String reason) {
    Cancellation.cancel(
        unit, row.id(), new Cancellation.Verdict(RequestState.FAILED, code, reason));
  }
}
