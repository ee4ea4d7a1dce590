package io.stoker.common.life;

import java.time.Duration;
import java.util.HexFormat;

/** Holds a setting to what it may be, for a {@link StartFailure} that names it. */
public final class Setting {
  /** In nanoseconds, too, it is a {@code long} to which the time can be added. */
  private static final Duration LONGEST = Duration.ofDays(50_000);

  private static final int MAX_PORT = 65_535;

  private Setting() {}

  /**
   * The length of a period.
   *
   * @param given null if there is none
   * @throws IllegalArgumentException if it is no millisecond long, or overflows as nanoseconds
   */
  public static Duration period(Duration given) {
    return held(Duration.ofMillis(1), "1 ms", given);
  }

  /**
   * A length of time.
   *
   * @param given null if there is none
   * @throws IllegalArgumentException if it is negative, or overflows as nanoseconds
   */
  public static Duration time(Duration given) {
    return held(Duration.ZERO, "0", given);
  }

  private static Duration held(Duration least, String leastText, Duration given) {
    if (given != null && (given.compareTo(least) < 0 || given.compareTo(LONGEST) > 0)) {
      throw new IllegalArgumentException(
          "expected %s to %d days".formatted(leastText, LONGEST.toDays()));
    }
    return given;
  }

  /**
   * A port, 0 for any that is free.
   *
   * @return null if there is none
   * @throws IllegalArgumentException for what is none
   */
  public static Integer port(String given) {
    String digits = given.strip();
    if (digits.isEmpty()) {
      return null;
    }
    if (!digits.matches("\\d{1,5}") || Integer.parseInt(digits) > MAX_PORT) {
      throw new IllegalArgumentException("expected a port, 0 to " + MAX_PORT);
    }
    return Integer.valueOf(digits);
  }

  /**
   * A number of something.
   *
   * @throws IllegalArgumentException if it is below {@code least}
   */
  public static long count(String key, long least, long given) {
    if (given < least) {
      throw new IllegalArgumentException(
          "%s is %d, expected %d or more".formatted(key, given, least));
    }
    return given;
  }

  /**
   * A secret in hex.
   *
   * @throws IllegalArgumentException if it is none; what is there is not said: it may be a secret
   *     all the same
   */
  public static byte[] secret(String key, String hex) {
    try {
      return HexFormat.of().parseHex(hex);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(key + " is no hex, expected pairs of 0-9 a-f");
    }
  }
}
