package io.stoker.dispatcher.timer;

import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.TimerRow;
import java.util.List;
import java.util.Map;

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
      ledger.stopTimer(timer.kind(), timer.request());
      ledger
          .requests()
          .find(timer.request())
          .filter(row -> !ledger.stateOf(row.id()).terminal())
          .ifPresent(row -> apply(ledger, timer, row, neverPosted.get(row.id())));
    }
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
            row.job() != null && ledger.jobs().get(row.job()).state() == JobState.QUEUED;
        if (waits) {
          end(ledger, row, Code.QUEUE_TIMEOUT, "waited in the queue longer than queueTimeout");
        }
      }
    }
    ledger.publishDue(row.id());
  }

  private static void end(Ledger ledger, RequestRow row, Code code, String reason) {
    Cancellation.cancel(
        ledger, row.id(), new Cancellation.Verdict(RequestState.FAILED, code, reason));
  }
}
