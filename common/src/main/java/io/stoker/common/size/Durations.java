package io.stoker.common.size;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 250ms}, {@code 90s}, {@code 2h}, or ISO 8601. */
public final class Durations {
  /** What a duration looks like, for error messages. */
  public static final String EXPECTED =
      "a duration such as \"250ms\", \"90s\", \"2h\" or \"PT1H30M\"";

  private static final Duration MAX = Duration.ofDays(3650);
  // Bounded, because reading a number takes time quadratic in its digits.
  private static final Pattern FORM = Pattern.compile("(\\d{1,40}(?:\\.\\d{1,40})?) *(ms|s|m|h|d)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  private Durations() {}

  /**
   * A duration of whole milliseconds.
   *
   * @return 1 ms to ten years (3650 days)
   * @throws IllegalArgumentException for anything else
   */
  public static Duration parse(String text) {
    Duration duration = read(text);
    boolean whole = duration.getNano() % 1_000_000 == 0;
    if (!whole || duration.isNegative() || duration.isZero() || duration.compareTo(MAX) > 0) {
      throw refused(text);
    }
    return duration;
  }

  /**
   * About so long, for people: {@code 90 s}, {@code 30 min}, {@code 5 h}; rounded down. Less than
   * none is {@code 0 s}: clocks of two machines differ.
   */
  public static String text(Duration duration) {
    if (duration.isNegative()) {
      return text(Duration.ZERO);
    }
    if (duration.toMinutes() < 2) {
      return duration.toSeconds() + " s";
    }
    return duration.toHours() < 2 ? duration.toMinutes() + " min" : duration.toHours() + " h";
  }

  private static Duration read(String text) {
    Matcher matcher = FORM.matcher(text);
    try {
      if (matcher.matches()) {
        BigDecimal unit = BigDecimal.valueOf(MILLIS.get(matcher.group(2)));
        return Duration.ofMillis(new BigDecimal(matcher.group(1)).multiply(unit).longValueExact());
      }
      return Duration.parse(text);
    } catch (DateTimeParseException | ArithmeticException e) {
      throw refused(text);
    }
  }

  private static IllegalArgumentException refused(String text) {
    return new IllegalArgumentException("\"" + text + "\" is no duration: expected " + EXPECTED);
  }
}
