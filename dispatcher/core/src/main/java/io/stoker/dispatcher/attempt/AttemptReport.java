package io.stoker.dispatcher.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.security.Macs;
import java.util.Optional;

/**
 * An event as it came: what it says, the tree that its code covers, and the host that sent it.
 *
 * @param tree as received, for the check of its code
 * @param sealed whether the host has signed the record that it came in as a whole: then its code
 *     proves the token alone
 */
public record AttemptReport(String host, AttemptEvent event, JsonNode tree, boolean sealed) {
  /** Whether who sent it knows the token of its attempt. */
  boolean knows(byte[] token) {
    return sealed ? Macs.proves(token, tree) : Macs.verify(token, tree);
  }

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
        AttemptEvent.of(plain.job(), plain.attempt())
            .seq(plain.seq())
            .type(plain.type())
            .at(plain.at())
            .outcome(plain.outcome())
            .category(plain.category())
            .message(
                plain.outcome() == AttemptEvent.Outcome.SUCCEEDED
                    ? null
                    : "what was said of its end cannot be kept: " + why)
            .exitCode(plain.exitCode())
            .warning(plain.warning())
            .againMs(plain.againMs())
            .build();
    return Optional.of(new AttemptReport(host, bare, tree, sealed));
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
