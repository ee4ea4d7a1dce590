package io.stoker.agent.runner;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Ports from one to another, both included: {@code 20000-29999}. */
public record PortRange(int from, int to) {
  private static final Pattern TEXT = Pattern.compile("\\s*(\\d{1,5})\\s*-\\s*(\\d{1,5})\\s*");
  private static final int MOST = 65_535;

  public PortRange {
    if (from < 1 || to > MOST || from > to) {
      throw new IllegalArgumentException(
          "%d-%d, expected FROM-TO, 1 to %d, FROM not above TO".formatted(from, to, MOST));
    }
  }

  /**
   * Reads a range.
   *
   * @throws IllegalArgumentException with what was expected, if it is none
   */
  public static PortRange parse(String text) {
    Matcher range = TEXT.matcher(text);
    if (!range.matches()) {
      throw new IllegalArgumentException(
          "'%s', expected FROM-TO, such as 20000-29999".formatted(text));
    }
    return new PortRange(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)));
  }

  int size() {
    return to - from + 1;
  }

  /** The port that comes so far behind the first, and again from the first behind the last. */
  int at(int offset) {
    return from + Math.floorMod(offset, size());
  }
}
