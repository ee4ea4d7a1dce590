package io.stoker.dispatcher.experiment;

/** Compares scores: tells which of two is better. */
public enum Objective {
  MAX,
  MIN;

  /** Whether the first score is better than the other; what is no number is the worst. */
  public boolean better(double one, double other) {
    return this == MAX ? counted(one) > counted(other) : counted(one) < counted(other);
  }

  /** A score as it counts: what is no number is the worst. */
  double counted(double score) {
    return !Double.isNaN(score)
        ? score
        : this == MAX ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
  }

  /**
   * A part of a bound, on its worse side: below it of a gain, above it of a loss. Where the sign of
   * the bound, or a minimum, turns that round, what is missing to 1 is added instead.
   *
   * @param factor more than 0 and at most 1
   */
  public double slackened(double bound, double factor) {
    boolean gain = (this == MAX) == (bound >= 0);
    return bound * (gain ? factor : 2 - factor);
  }
}
