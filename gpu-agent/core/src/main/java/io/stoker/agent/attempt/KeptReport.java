package io.stoker.agent.attempt;

import io.stoker.common.message.AttemptEvent;
import java.util.Optional;

/**
 * The terminal report of an attempt that the dispatcher has not closed.
 *
 * @param event unsigned
 * @param token that signs it; empty if the placement never came
 * @param notAfter of the placement, by the dispatcher's clock
 * @param request whose output it is, if that may have to be told again
 * @param leaves whether it may have left something on disk; what warm workers ran has not
 */
record KeptReport(
    AttemptEvent event,
    Optional<String> token,
    long notAfter,
    Optional<String> request,
    boolean leaves) {
  /** Whether what it has written may not all be with the broker. */
  boolean mayOwe() {
    return leaves && request.isPresent();
  }
}
