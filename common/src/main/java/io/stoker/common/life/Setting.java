package io.stoker.common.life;

import java.time.Duration;

/** Holds a setting to what it may be, for a {@link StartFailure} that names it. */
public final class Setting {
  private Setting() {}

  /**
   * The length of a period.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public static Duration period(String key, Duration given) {
    if (!given.isPositive()) {
      throw new IllegalArgumentException("%s is %s, expected more than 0".formatted(key, given));
    }
    return given;
  }

  /**
   * A length of time.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public static Duration time(String key, Duration given) {
    if (given.isNegative()) {
      throw new IllegalArgumentException("%s is %s, expected 0 or more".formatted(key, given));
    }
    return given;
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
}
