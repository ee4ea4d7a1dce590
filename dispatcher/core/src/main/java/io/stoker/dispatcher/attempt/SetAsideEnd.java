package io.stoker.dispatcher.attempt;

import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.Cancellation.Verdict;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Collection;

/** The end of requests for which a step fails each time. */
public final class SetAsideEnd {
  private SetAsideEnd() {}

  /** Ends these in a unit of work that holds what {@link Cancellation} needs of them. */
  public static void end(UnitOfWork unit, Collection<String> requests, String step, String reason) {
    String sentence = "%s failed for it each time: %s".formatted(step, reason);
    Verdict verdict = new Verdict(RequestState.FAILED, Code.SET_ASIDE, sentence);
    for (String id : requests) {
      if (unit.requests().find(id).filter(row -> !row.isPlaceholder()).isPresent()) {
        Cancellation.cancel(unit, id, verdict);
      }
    }
  }
}
