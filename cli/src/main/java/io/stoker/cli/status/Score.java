package io.stoker.cli.status;

import java.math.BigDecimal;
import java.math.MathContext;

/** A score for people, without digits that nobody reads. */
public final class Score {
  private static final MathContext DIGITS = new MathContext(7);
  private static final double LEAST = 1e-6;
  private static final double MOST = 1e9;

  private Score() {}

  /**
   * Such as {@code 0.9321} and {@code 120}; what is very small or large has an exponent.
   *
   * @param score null = none, and no text
   */
  public static String text(Double score) {
    if (score == null) {
      return "";
    }
    BigDecimal rounded = BigDecimal.valueOf(score).round(DIGITS).stripTrailingZeros();
    double size = Math.abs(score);
    boolean plain = size == 0 || (size >= LEAST && size < MOST);
    return plain ? rounded.toPlainString() : rounded.toString();
  }
}
