package io.stoker.cli.input;

import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.json.JsonRules;
import java.nio.charset.StandardCharsets;

/** The reason of people for what they do, in their own words, as {@code --reason} says it. */
public final class Reason {
  private static final String OPTION = "--reason";

  /** Of its UTF-8: it travels in an address, whose length servers limit. */
  static final int MOST_BYTES = 1000;

  private Reason() {}

  /**
   * The reason, if it can be told and kept.
   *
   * @param given null for none
   * @throws CliException with exit code 2 if it cannot
   */
  public static String checked(String given) {
    if (given == null) {
      return null;
    }
    if (given.isBlank()) {
      throw CliException.usage(OPTION + " is empty, expected a text");
    }
    JsonRules.check(TextNode.valueOf(given), OPTION)
        .ifPresent(
            broken -> {
              throw CliException.usage(broken.sentence());
            });
    int bytes = given.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MOST_BYTES) {
      throw CliException.usage(
          "%s is %d bytes long, expected at most %d".formatted(OPTION, bytes, MOST_BYTES));
    }
    return given;
  }
}
