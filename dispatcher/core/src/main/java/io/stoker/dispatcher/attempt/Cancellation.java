package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Needs;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Optional;

/**
 * Ends a request before its time. One of several sharers leaves and the job goes on; with the last
 * one the job ends, at once if it only waits, else when its agent says that it is over.
 *
 * <p>The unit of work must hold the request, its job with open attempt, all requests of that job
 * which have not ended by themselves, and what {@link JobEnd} needs.
 */
public final class Cancellation {
  private Cancellation() {}

  /** What a request ends as, once it is out. */
  public record Verdict(RequestState state, Code code, String reason) {
    public static Verdict cancelled(String reason) {
      return new Verdict(
          RequestState.CANCELLED,
          Code.CANCELLED,
          reason == null || reason.isBlank() ? "cancelled on request" : reason);
    }
  }

  /** Asks for the end of a request; an id that is not known yet is ended when it arrives. */
  public static void cancel(UnitOfWork unit, String request, Verdict verdict) {
    Optional<RequestRow> found = unit.requests().find(request);
    if (found.isEmpty() || found.get().isPlaceholder()) {
      RequestRow stopped = RequestRow.stopped(request, verdict.reason(), unit.now());
      boolean refused = found.map(RequestRow::ended).isPresent();
      unit.requests()
          .put(refused ? stopped.refused(found.get().code(), null, unit.now()) : stopped);
      return;
    }
    RequestRow row = found.get();
    if (unit.stateOf(request).terminal() || row.stopRequested()) {
      return;
    }
    if (row.job() == null) {
      leave(unit, row, verdict);
    } else if (othersShare(unit, row)) {
      leave(unit, row, verdict);
      Needs.left(unit, row.job());
    } else {
      endJob(unit, row, unit.jobs().get(row.job()), verdict);
    }
  }

  private static boolean othersShare(UnitOfWork unit, RequestRow leaving) {
    return unit.requests().all().stream()
        .anyMatch(
            row ->
                leaving.job().equals(row.job())
                    && !row.id().equals(leaving.id())
                    && row.ended() == null);
  }

  /** It ends, and its job goes on. */
  static void leave(UnitOfWork unit, RequestRow row, Verdict verdict) {
    long changes = row.job() == null ? 0 : unit.jobs().get(row.job()).changes();
    unit.requests()
        .put(row.ended(verdict.state(), verdict.code(), verdict.reason(), changes, unit.now()));
    unit.stopTimer(TimerRow.Kind.DEPENDENCY_TIMEOUT, row.id());
    unit.stopTimer(TimerRow.Kind.QUEUE_TIMEOUT, row.id());
    unit.stopTimer(TimerRow.Kind.RUN_TIMEOUT, row.id());
    unit.publishDue(row.id());
    unit.fanOut(FanOutRow.Kind.DEPENDENTS, row.id());
  }

  private static void endJob(UnitOfWork unit, RequestRow row, JobRow job, Verdict verdict) {
    if (job.state() == JobState.QUEUED) {
      leave(unit, row, verdict);
      JobEnd.end(unit, job, JobState.CANCELLED, verdict.code(), verdict.reason());
      return;
    }
    for (AttemptRow attempt : unit.openMembers(job)) {
      unit.attempts().put(attempt.cancelled(verdict.reason()));
      unit.tell(attempt.host(), new ToAgent.Cancel(job.id(), attempt.number(), verdict.reason()));
    }
    unit.putJob(job.change().ending(verdict.code()).build());
    if (verdict.state() == RequestState.FAILED) {
      // Its time is up, whenever the job is over that nobody else wants.
      leave(unit, row, verdict);
      return;
    }
    unit.requests().put(row.askedToStop(verdict.reason()));
    unit.publishDue(row.id());
  }
}
