package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.staged.Said;
import io.stoker.agent.staged.Said.What;
import io.stoker.common.text.PlainText;
import java.util.Optional;

/** Parses what follows {@code #stoker:stage } on a line of a staged process; see docs/staged.md. */
final class StageLine {
  private static final int MAX_MESSAGE = 2_000;

  private StageLine() {}

  /** Nothing if it is none: a line that cannot be understood is a line like any other. */
  static Optional<Said> read(JsonNode line) {
    JsonNode number = line.path("n");
    if (!number.isInt()) {
      return Optional.empty();
    }
    int version = line.path("v").asInt(Said.VERSION);
    Optional<String> message =
        Optional.ofNullable(line.path("message").textValue())
            .map(text -> PlainText.of(text, MAX_MESSAGE));
    return what(line.path("is").asText())
        .map(what -> new Said(version, number.intValue(), what, message));
  }

  private static Optional<What> what(String word) {
    return switch (word) {
      case "done" -> Optional.of(What.DONE);
      case "oom" -> Optional.of(What.OOM);
      case "exception" -> Optional.of(What.EXCEPTION);
      default -> Optional.empty();
    };
  }
}
