package io.stoker.dispatcher.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.Optional;

/**
 * An event as it came: what it says, the tree that its code covers, and the host that sent it.
 *
 * @param tree as received, for the check of its code
 */
public record AttemptReport(String host, AttemptEvent event, JsonNode tree) {

  /** Why it cannot be meant, whoever sent it. */
  public Optional<String> flaw() {
    if (event.job() == null || event.type() == null || event.attempt() < 1 || event.seq() < 1) {
      return Optional.of("event without job, type, attempt or seq");
    }
    if (event.type() == Type.ENDED && event.outcome() == null) {
      return Optional.of("ENDED without outcome");
    }
    return Optional.empty();
  }
}
