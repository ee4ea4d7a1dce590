package io.stoker.cli.bench;

import java.util.Arrays;
import java.util.List;

/** Durations in milliseconds, by how many of the measured ones were no longer. */
record Percentiles(double p50, double p95, double p99, double max) {
  /**
   * By the nearest rank: each is a duration that was measured.
   *
   * @param millis at least one
   */
  static Percentiles of(double[] millis) {
    if (millis.length == 0) {
      throw new IllegalArgumentException("nothing was measured");
    }
    double[] sorted = millis.clone();
    Arrays.sort(sorted);
    return new Percentiles(
        at(sorted, 50), at(sorted, 95), at(sorted, 99), rounded(sorted[sorted.length - 1]));
  }

  static Percentiles of(List<Double> millis) {
    return of(millis.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static double at(double[] sorted, int percent) {
    int rank = (int) Math.ceil(percent / 100.0 * sorted.length);
    return rounded(sorted[rank - 1]);
  }

  private static double rounded(double millis) {
    return Math.round(millis * 100) / 100.0;
  }
}
