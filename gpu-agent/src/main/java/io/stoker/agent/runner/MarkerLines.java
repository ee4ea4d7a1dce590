package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.MalformedJson;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Finds {@code #stoker:progress }, {@code #stoker:result } and {@code #stoker:stage } lines in a
 * job's stdout, however it comes in pieces. Other lines take no memory.
 */
final class MarkerLines {
  /** Largest result, in bytes of JSON. */
  static final int MAX_RESULT = 256 * 1024;

  static final String UNSTORABLE =
      "holds NUL, a lone surrogate, a number beyond a double, or more than %d levels"
          .formatted(JsonRules.MAX_KEPT_NESTING);

  private static final int MAX_PROGRESS = 4 * 1024;
  private static final byte[] PREFIX = "#stoker:".getBytes(StandardCharsets.US_ASCII);
  private static final String PROGRESS = "progress ";
  private static final String RESULT = "result ";
  private static final String STAGE = "stage ";
  private static final int MAX_LINE = PREFIX.length + RESULT.length() + MAX_RESULT + 1;

  private final Taker progress;
  private final Taker intermediate;
  private final Taker stage;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream(0);
  private boolean skipping;
  private long position;
  private Outcome last = new Outcome(Optional.empty(), Optional.empty());

  /** Is told what a line says. */
  interface Taker {
    /**
     * Takes it.
     *
     * @param until bytes of the stream up to the line's end
     */
    void take(JsonNode value, long until);
  }

  /**
   * A result that was given, or why it cannot be kept.
   *
   * @param value empty if none was given, or it cannot be kept
   */
  record Outcome(Optional<JsonNode> value, Optional<String> problem) {
    static Outcome of(byte[] json, String what) {
      if (json.length > MAX_RESULT) {
        return tooLarge(what);
      }
      try {
        JsonNode value = Json.read(json);
        return !JsonRules.storable(value)
            ? bad(what + " " + UNSTORABLE)
            : new Outcome(Optional.of(value), Optional.empty());
      } catch (MalformedJson e) {
        return bad(what + " is not valid JSON: " + e.getMessage());
      }
    }

    static Outcome tooLarge(String what) {
      return bad(what + " is larger than " + MAX_RESULT + " bytes");
    }

    private static Outcome bad(String why) {
      return new Outcome(Optional.empty(), Optional.of(why));
    }
  }

  /**
   * @param progress told of each valid progress line; others are left out
   * @param intermediate told of each valid result line
   * @param stage told of each valid stage line
   */
  MarkerLines(Taker progress, Taker intermediate, Taker stage) {
    this.progress = progress;
    this.stage = stage;
    this.intermediate = intermediate;
  }

  void accept(byte[] bytes, int length) {
    for (int i = 0; i < length; i++) {
      byte b = bytes[i];
      position++;
      if (b == '\n') {
        finishLine();
      } else if (!skipping) {
        int at = line.size();
        if (at < PREFIX.length && b != PREFIX[at]) {
          skipping = true;
          line.reset();
        } else if (at <= MAX_LINE) {
          line.write(b);
        }
      }
    }
  }

  /** The output has ended, with or without a last newline. */
  void end() {
    finishLine();
  }

  /** The last result line's. */
  Outcome result() {
    return last;
  }

  private void finishLine() {
    if (!skipping && line.size() > PREFIX.length) {
      take(line.toString(StandardCharsets.UTF_8).substring(PREFIX.length));
    }
    skipping = false;
    line.reset();
  }

  private void take(String text) {
    if (text.startsWith(RESULT)) {
      byte[] json = text.substring(RESULT.length()).strip().getBytes(StandardCharsets.UTF_8);
      last = Outcome.of(json, "the result line");
      last.value().ifPresent(value -> intermediate.take(value, position));
    } else if (text.startsWith(PROGRESS)) {
      byte[] json = text.substring(PROGRESS.length()).strip().getBytes(StandardCharsets.UTF_8);
      if (json.length <= MAX_PROGRESS) {
        Outcome.of(json, "the progress line")
            .value()
            .ifPresent(value -> progress.take(value, position));
      }
    } else if (text.startsWith(STAGE)) {
      byte[] json = text.substring(STAGE.length()).strip().getBytes(StandardCharsets.UTF_8);
      Outcome.of(json, "the stage line").value().ifPresent(value -> stage.take(value, position));
    }
  }
}
