package io.stoker.common.size;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes of memory as people write them: {@code 4GB} = 4·10⁹ bytes, {@code 1GiB} = 2³⁰, {@code
 * 2.5GB}, {@code 789 MiB}, {@code 100B}. Never guessed: what cannot be read exactly is refused.
 */
public final class ByteSize {
  /** What a size looks like, for error messages. */
  public static final String EXPECTED =
      "a size such as \"6GiB\", \"2.5GB\" or \"100B\", or an integer of bytes";

  // Bounded, because reading a number takes time quadratic in its digits.
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,40}(?:\\.\\d{1,40})?) *([A-Za-z]{1,3})");
  private static final Map<String, Long> UNITS =
      Map.ofEntries(
          Map.entry("B", 1L),
          Map.entry("KB", 1_000L),
          Map.entry("MB", 1_000_000L),
          Map.entry("GB", 1_000_000_000L),
          Map.entry("TB", 1_000_000_000_000L),
          Map.entry("PB", 1_000_000_000_000_000L),
          Map.entry("EB", 1_000_000_000_000_000_000L),
          Map.entry("KiB", 1L << 10),
          Map.entry("MiB", 1L << 20),
          Map.entry("GiB", 1L << 30),
          Map.entry("TiB", 1L << 40),
          Map.entry("PiB", 1L << 50),
          Map.entry("EiB", 1L << 60));

  private static final int KIB = 1_024;
  private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private ByteSize() {}

  /** A size for people, with one decimal at most: {@code 1.5 GiB}. */
  public static String text(long bytes) {
    double size = bytes;
    int unit = 0;
    while (size >= KIB && unit < BINARY.length - 1) {
      size /= KIB;
      unit++;
    }
    // Most sizes are whole, and to format is slow.
    String number =
        size == Math.rint(size)
            ? Long.toString((long) size)
            : String.format(Locale.ROOT, "%.1f", size).replaceFirst("\\.0$", "");
    return number + " " + BINARY[unit];
  }

  /**
   * The bytes of a size with its unit.
   *
   * @return 0 to 2⁶³−1 bytes
   * @throws IllegalArgumentException for no unit, an unknown one, a lower-case {@code b} (bits),
   *     negatives, fractions of a byte, overflow
   */
  public static long parse(String text) {
    Matcher matcher = FORM.matcher(text);
    Long unit = matcher.matches() ? UNITS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw refused(text);
    }
    try {
      return new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit)).longValueExact();
    } catch (ArithmeticException e) {
      throw refused(text);
    }
  }

  private static IllegalArgumentException refused(String text) {
    return new IllegalArgumentException("\"" + text + "\" is no size: expected " + EXPECTED);
  }
}
