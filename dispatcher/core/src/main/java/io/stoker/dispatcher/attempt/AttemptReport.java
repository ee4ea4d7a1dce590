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

  /**
   * The same end with nothing but how it ended, where the database refuses what it says: it has
   * ended, whatever was said of it. Nothing if it tells of no end.
   *
   * @param why it was refused
   */
  public Optional<AttemptReport> bare(String why) {
    if (event.type() != Type.ENDED) {
      return Optional.empty();
    }
    AttemptEvent plain = event.withoutValues("its result cannot be kept: " + why);
    AttemptEvent bare =
        new AttemptEvent(
            plain.job(),
            plain.attempt(),
            plain.seq(),
            plain.type(),
            plain.at(),
            null,
            null,
            plain.outcome(),
            plain.category(),
            plain.outcome() == AttemptEvent.Outcome.SUCCEEDED
                ? null
                : "what was said of its end cannot be kept: " + why,
            plain.exitCode(),
            null,
            null,
            null,
            null,
            plain.warning(),
            plain.againMs(),
            null);
    return Optional.of(new AttemptReport(host, bare, tree));
  }

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
