package io.stoker.cli.bench;

/** Figures as they are reported: no more digits than they are worth. */
final class Rounded {
  private Rounded() {}

  static double tenths(double figure) {
    return Math.round(figure * 10) / 10.0;
  }

  static double thousandths(double figure) {
    return Math.round(figure * 1000) / 1000.0;
  }

  /**
   * Seconds since then, to the thousandth.
   *
   * @param nanos as {@link System#nanoTime}
   */
  static double secondsSince(long nanos) {
    return thousandths((System.nanoTime() - nanos) / 1e9);
  }
}
