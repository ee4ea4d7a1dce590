package io.stoker.dispatcher.timer;

import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.dedup.LongerTimeout;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.StoredRequest;
import io.stoker.dispatcher.ledger.TimerRow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What happens when time runs out. The ledger must hold what {@link Cancellation} needs of every
 * request that a timer names.
 */
public final class TimeOuts {
  private TimeOuts() {}

  /**
   * Applies timers that are due; each is stopped by it.
   *
   * @param neverPosted by request, a dependency of it that was never posted, if there is one
   */
  public static void apply(Ledger ledger, List<TimerRow> due, Map<String, String> neverPosted) {
    for (TimerRow timer : due) {
      Optional<RequestRow> live =
          ledger
              .requests()
              .find(timer.request())
              .filter(row -> !ledger.stateOf(row.id()).terminal());
      Optional<TimerRow> later = live.flatMap(row -> later(ledger, timer, row));
      if (later.isPresent()) {
        ledger.startTimer(later.get());
      } else {
        ledger.stopTimer(timer.kind(), timer.request());
        live.ifPresent(row -> apply(ledger, timer, row, neverPosted.get(row.id())));
      }
    }
  }

  /**
   * A run's time counts from its start: a timer that has run out before looks again when that may
   * be. Where the job itself has no more time than the request wants, its agent sees to it.
   */
  private static Optional<TimerRow> later(Ledger ledger, TimerRow timer, RequestRow row) {
    if (timer.kind() != TimerRow.Kind.RUN_TIMEOUT || row.job() == null) {
      return Optional.empty();
    }
    JobRow job = ledger.jobs().get(row.job());
    LongerTimeout.tell(ledger, job); // what was told when it became so may be lost
    long time = timeout(row).toMillis();
    Long ofJob = job.policy().timeoutMs();
    long from =
        ofJob != null && ofJob <= time
            ? ledger.now()
            : ledger.openAttempt(job).map(AttemptRow::runningSince).orElse(ledger.now());
    return from + time > ledger.now()
        ? Optional.of(new TimerRow(timer.kind(), timer.request(), from + time))
        : Optional.empty();
  }

  private static Duration timeout(RequestRow row) {
    return StoredRequest.parse(row).timeout().orElseThrow();
  }

  private static void apply(Ledger ledger, TimerRow timer, RequestRow row, String neverPosted) {
    switch (timer.kind()) {
      case DEPENDENCY_TIMEOUT -> {
        if (row.waiting() && neverPosted != null) {
          String reason = "dependency " + neverPosted + " was not posted in time";
          end(ledger, row, Code.DEPENDENCY_TIMEOUT, reason);
        }
      }
      case QUEUE_TIMEOUT -> {
        boolean waits =
            row.job() != null && ledger.jobs().get(row.job()).shown() == RequestState.QUEUED;
        if (waits) {
          end(ledger, row, Code.QUEUE_TIMEOUT, "waited in the queue longer than queueTimeout");
        }
      }
      case RUN_TIMEOUT -> {
        String reason =
            "the job that it shares has run longer than its own timeout of %d s"
                .formatted(timeout(row).toSeconds());
        end(ledger, row, Code.TIMED_OUT, reason);
      }
    }
    ledger.publishDue(row.id());
  }

  private static void end(Ledger ledger, RequestRow row, Code code, String reason) {
    Cancellation.cancel(
        ledger, row.id(), new Cancellation.Verdict(RequestState.FAILED, code, reason));
  }
}
