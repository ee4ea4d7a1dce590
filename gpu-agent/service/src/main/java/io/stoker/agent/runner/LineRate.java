package io.stoker.agent.runner;

import java.util.function.LongSupplier;

/**
 * Limits how many lines of a kind a run may tell: some at once, and so many a second after that.
 */
final class LineRate {
  private static final double NANOS = 1e9;

  private final int atOnce;
  private final int eachSecond;
  private final LongSupplier nanos;
  private double left;
  private long at;

  /**
   * @param nanos a clock that only rises, ns
   */
  LineRate(int atOnce, int eachSecond, LongSupplier nanos) {
    this.atOnce = atOnce;
    this.eachSecond = eachSecond;
    this.nanos = nanos;
    left = atOnce;
    at = nanos.getAsLong();
  }

  /**
   * Takes a line.
   *
   * @param lines as how many it counts; the next one waits the longer for it
   * @return whether it may be told now
   */
  boolean take(int lines) {
    long now = nanos.getAsLong();
    left = Math.min(atOnce, left + (now - at) / NANOS * eachSecond);
    at = now;
    if (left < 1) {
      return false;
    }
    left -= lines;
    return true;
  }
}
