package io.stoker.dispatcher.fairshare;

/**
 * Halves past use in each half-life.
 *
 * @param halfLifeMs at least 1
 */
public record Decay(long halfLifeMs) {
  private static final double LN2 = Math.log(2);

  /**
   * Below this the exact form divides by almost nothing, and the error of leaving it out is nil.
   */
  private static final double SHORT = 1e-6;

  /** What is left of an amount after some time. */
  public double left(double amount, long elapsedMs) {
    return amount * Math.pow(0.5, Math.max(0, elapsedMs) / (double) halfLifeMs);
  }

  /**
   * What is left, at its end, of an amount that was used evenly over some time: its beginning has
   * been forgotten in part by then.
   */
  public double leftOfRun(double amount, double runMs) {
    double halves = runMs / halfLifeMs;
    return halves < SHORT ? amount : amount * (1 - Math.pow(0.5, halves)) / (halves * LN2);
  }
}
