package io.stoker.agent.attempt;

import io.stoker.common.message.AttemptEvent;
import java.util.Optional;

/**
 * The terminal report of an attempt that the dispatcher has not closed.
 *
 * @param event unsigned
 * @param token that signs it; empty if the placement never came
 * @param notAfter of the placement, by the dispatcher's clock
 * @param leaves whether it may have left something on disk; what warm workers ran has not
 */
record KeptReport(AttemptEvent event, Optional<String> token, long notAfter, boolean leaves) {}
