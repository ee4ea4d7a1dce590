package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Finds {@code #stoker:progress }, {@code #stoker:result } and {@code #stoker:stage } lines in a
 * job's stdout, however it comes in pieces. Other lines take no memory.
 *
 * <p>Results and progress are told at a bounded rate: above it, the newest waits until it may be
 * told, and those before it are left out. They stay text until they are told. The last result is
 * {@link #result}, whatever was told of those before.
 */
final class MarkerLines {
  /** Largest result, in bytes of JSON. */
  static final int MAX_RESULT = 256 * 1024;

  static final String UNSTORABLE =
      "holds NUL, a lone surrogate, a number beyond a double, or more than %d levels"
          .formatted(JsonRules.MAX_KEPT_NESTING);

  /** Results that a run may have told at once, and each second after that. */
  static final int RESULTS_AT_ONCE = 1_000;

  static final int RESULTS_EACH_SECOND = 100;

  private static final int PROGRESS_AT_ONCE = 10;
  private static final int PROGRESS_EACH_SECOND = 5;

  /** A result counts once more for each so many bytes. */
  private static final int LARGE = 1024;

  private static final int MAX_PROGRESS = 4 * 1024;
  private static final byte[] PROGRESS = ascii("#stoker:progress ");
  private static final byte[] RESULT = ascii("#stoker:result ");
  private static final byte[] STAGE = ascii("#stoker:stage ");
  private static final int MAX_LINE = RESULT.length + MAX_RESULT + 1;

  private final Takers takers;
  private final ToldBefore before;
  private final LineRate results;
  private final LineRate progress;
  private final MarkedLine line = new MarkedLine(MAX_LINE + 1);
  private long position;

  /** The newest of each that could not be told yet. */
  private Optional<Line> heldResult = Optional.empty();

  private Optional<Line> heldProgress = Optional.empty();

  private Optional<Line> last = Optional.empty();

  /** Is told what a line says. */
  interface Taker {
    /**
     * Takes it.
     *
     * @param until bytes of the stream up to the line's end
     * @param bytes of its text
     */
    void take(JsonNode value, long until, int bytes);
  }

  /**
   * Who is told.
   *
   * @param progress of valid progress lines; others are left out
   * @param intermediate of valid result lines
   * @param stage of each valid stage line; empty where nobody wants to know
   */
  record Takers(Taker progress, Taker intermediate, Optional<Taker> stage) {}

  /**
   * A marker line.
   *
   * @param bytes of all of it
   * @param word that it begins with
   */
  private record Line(byte[] bytes, int word, long until) {
    byte[] json() {
      return new String(bytes, word, bytes.length - word, StandardCharsets.UTF_8)
          .strip()
          .getBytes(StandardCharsets.UTF_8);
    }
  }

  /**
   * A result that was given, or why it cannot be kept.
   *
   * @param value empty if none was given, or it cannot be kept
   */
  record Outcome(Optional<JsonNode> value, Optional<String> problem) {
    static final Outcome NONE = new Outcome(Optional.empty(), Optional.empty());

    static Outcome of(byte[] json, String what) {
      if (json.length > MAX_RESULT) {
        return tooLarge(what);
      }
      try {
        return of(Json.read(json), what);
      } catch (MalformedJson e) {
        return ResultText.read(json)
            .map(value -> of(value, what))
            .orElseGet(() -> bad(what + " is not valid JSON: " + e.getMessage()));
      }
    }

    private static Outcome of(JsonNode value, String what) {
      return !JsonRules.storable(value)
          ? bad(what + " " + UNSTORABLE)
          : new Outcome(Optional.of(value), Optional.empty());
    }

    static Outcome tooLarge(String what) {
      return bad(what + " is larger than " + MAX_RESULT + " bytes");
    }

    static Outcome bad(String why) {
      return new Outcome(Optional.empty(), Optional.of(why));
    }
  }

  /**
   * @param before what an earlier agent told of the same output
   * @param nanos a clock that only rises, ns
   */
  MarkerLines(Takers takers, ToldBefore before, LongSupplier nanos) {
    this.takers = takers;
    this.before = before;
    this.results = new LineRate(RESULTS_AT_ONCE, RESULTS_EACH_SECOND, nanos);
    this.progress = new LineRate(PROGRESS_AT_ONCE, PROGRESS_EACH_SECOND, nanos);
  }

  private static byte[] ascii(String word) {
    return word.getBytes(StandardCharsets.US_ASCII);
  }

  void accept(byte[] bytes, int length) {
    int from = 0;
    for (int i = 0; i < length; i++) {
      if (bytes[i] == '\n') {
        line.add(bytes, from, i);
        position += i + 1 - from;
        line.end().ifPresent(this::take);
        from = i + 1;
      }
    }
    line.add(bytes, from, length);
    position += length - from;
  }

  /** Called at each look: tells what had to wait, if it may be told by now. */
  void flush() {
    heldResult.filter(this::mayTell).ifPresent(this::tellResult);
    heldProgress.filter(held -> progress.take(1)).ifPresent(this::tellProgress);
  }

  /** The output has ended, with or without a last newline: tells what had to wait. */
  void end() {
    line.end().ifPresent(this::take);
    heldResult.ifPresent(this::tellResult);
    heldProgress.ifPresent(this::tellProgress);
  }

  /** The last result line's. */
  Outcome result() {
    return last.map(given -> Outcome.of(given.json(), "the result line")).orElse(Outcome.NONE);
  }

  private void take(byte[] bytes) {
    if (startsWith(bytes, RESULT)) {
      takeResult(new Line(bytes, RESULT.length, position));
    } else if (startsWith(bytes, PROGRESS)) {
      Line found = new Line(bytes, PROGRESS.length, position);
      if (progress.take(1)) {
        tellProgress(found);
      } else {
        heldProgress = Optional.of(found);
      }
    } else if (startsWith(bytes, STAGE)) {
      takers
          .stage()
          .ifPresent(stage -> tell(stage, new Line(bytes, STAGE.length, position), MAX_RESULT));
    }
  }

  private static boolean startsWith(byte[] line, byte[] word) {
    return line.length >= word.length && Arrays.equals(line, 0, word.length, word, 0, word.length);
  }

  private void takeResult(Line found) {
    last = Optional.of(found);
    if (found.until() <= before.results()) {
      if (before.owed().contains(found.until())) {
        tellResult(found);
      }
    } else if (mayTell(found)) {
      tellResult(found);
    } else {
      heldResult = last;
    }
  }

  private boolean mayTell(Line result) {
    return results.take(1 + result.bytes().length / LARGE);
  }

  private void tellResult(Line found) {
    heldResult = Optional.empty();
    tell(takers.intermediate(), found, MAX_RESULT);
  }

  private void tellProgress(Line found) {
    heldProgress = Optional.empty();
    tell(takers.progress(), found, MAX_PROGRESS);
  }

  private static void tell(Taker taker, Line found, int most) {
    byte[] json = found.json();
    if (json.length <= most) {
      Outcome.of(json, "the line")
          .value()
          .ifPresent(value -> taker.take(value, found.until(), json.length));
    }
  }
}
