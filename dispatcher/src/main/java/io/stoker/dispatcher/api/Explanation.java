package io.stoker.dispatcher.api;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.placement.Unplaced;
import io.stoker.dispatcher.store.ApiQueries.Waiting;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a request waits for.
 *
 * @param job the job it is bound to, if any
 * @param label the reason in one of few words
 * @param sentence the reason for people
 * @param waitsFor dependencies that have not succeeded yet, where it waits for those
 */
public record Explanation(
    String id,
    RequestState state,
    String job,
    String label,
    String sentence,
    List<Waiting> waitsFor) {
  private static final int NAMED = 5;

  static Explanation waiting(RequestStatus status, List<Waiting> missing) {
    String some =
        missing.stream()
            .limit(NAMED)
            .map(
                one ->
                    one.id() + (one.state() == null ? " (never posted)" : " (" + one.state() + ")"))
            .collect(Collectors.joining(", "));
    String more = missing.size() > NAMED ? " and " + (missing.size() - NAMED) + " more" : "";
    String sentence =
        missing.isEmpty()
            ? "all dependencies have succeeded; it is about to get in line"
            : "waits for " + some + more;
    return of(status, "DEPENDENCIES", sentence, missing);
  }

  /**
   * @param why why the scheduler leaves it, null if it would not
   */
  static Explanation queued(RequestStatus status, Unplaced why) {
    if (why != null) {
      return of(status, why.reason().name(), why.sentence(), null);
    }
    return status.reason() == null
        ? of(status, "IN_LINE", "in line; there is room for it, and others may go first", null)
        : of(status, "IN_LINE", status.reason(), null);
  }

  static Explanation of(RequestStatus status) {
    String where =
        switch (status.state()) {
          case PLACED -> "given to host " + status.host() + ", which has not started it yet";
          case RUNNING -> "runs on host " + status.host();
          default -> "has ended: " + status.state();
        };
    String sentence = status.reason() == null ? where : where + "; " + status.reason();
    return of(status, status.state().name(), sentence, null);
  }

  private static Explanation of(
      RequestStatus status, String label, String sentence, List<Waiting> waitsFor) {
    return new Explanation(status.id(), status.state(), status.job(), label, sentence, waitsFor);
  }
}
