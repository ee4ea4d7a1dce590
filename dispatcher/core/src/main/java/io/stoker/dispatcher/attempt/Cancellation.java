package io.stoker.dispatcher.attempt;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Needs;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.TimerRow;
import java.util.Optional;

/**
 * Ends a request before its time. One of several sharers leaves and the job goes on; with the last
 * one the job ends, at once if it only waits, else when its agent says that it is over.
 *
 * <p>The ledger must hold the request, its job with open attempt, all requests of that job which
 * have not ended by themselves, and what {@link JobEnd} needs.
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
  public static void cancel(Ledger ledger, String request, Verdict verdict) {
    Optional<RequestRow> found = ledger.requests().find(request);
    if (found.isEmpty() || found.get().isPlaceholder()) {
      RequestRow stopped = RequestRow.stopped(request, verdict.reason(), ledger.now());
      boolean refused = found.map(RequestRow::ended).isPresent();
      ledger
          .requests()
          .put(refused ? stopped.refused(found.get().code(), null, ledger.now()) : stopped);
      return;
    }
    RequestRow row = found.get();
    if (ledger.stateOf(request).terminal() || row.stopRequested()) {
      return;
    }
    if (row.job() == null) {
      leave(ledger, row, verdict);
    } else if (othersShare(ledger, row)) {
      leave(ledger, row, verdict);
      Needs.left(ledger, row.job());
    } else {
      endJob(ledger, row, ledger.jobs().get(row.job()), verdict);
    }
  }

  private static boolean othersShare(Ledger ledger, RequestRow leaving) {
    return ledger.requests().all().stream()
        .anyMatch(
            row ->
                leaving.job().equals(row.job())
                    && !row.id().equals(leaving.id())
                    && row.ended() == null);
  }

  /** It ends, and its job goes on. */
  static void leave(Ledger ledger, RequestRow row, Verdict verdict) {
    long changes = row.job() == null ? 0 : ledger.jobs().get(row.job()).changes();
    ledger
        .requests()
        .put(row.ended(verdict.state(), verdict.code(), verdict.reason(), changes, ledger.now()));
    ledger.stopTimer(TimerRow.Kind.DEPENDENCY_TIMEOUT, row.id());
    ledger.stopTimer(TimerRow.Kind.QUEUE_TIMEOUT, row.id());
    ledger.stopTimer(TimerRow.Kind.RUN_TIMEOUT, row.id());
    ledger.publishDue(row.id());
    ledger.fanOut(FanOutRow.Kind.DEPENDENTS, row.id());
  }

  private static void endJob(Ledger ledger, RequestRow row, JobRow job, Verdict verdict) {
    if (job.state() == JobState.QUEUED) {
      leave(ledger, row, verdict);
      JobEnd.end(ledger, job, JobState.CANCELLED, verdict.code(), verdict.reason());
      return;
    }
    for (AttemptRow attempt : ledger.openMembers(job)) {
      ledger.attempts().put(attempt.cancelled(verdict.reason()));
      ledger.tell(attempt.host(), new ToAgent.Cancel(job.id(), attempt.number(), verdict.reason()));
    }
    ledger.putJob(job.change().ending(verdict.code()).build());
    if (verdict.state() == RequestState.FAILED) {
      // Its time is up, whenever the job is over that nobody else wants.
      leave(ledger, row, verdict);
      return;
    }
    ledger.requests().put(row.askedToStop(verdict.reason()));
    ledger.publishDue(row.id());
  }
}
