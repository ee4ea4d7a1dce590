package io.stoker.cli.terminal;

/** A bar that fills from left to right. */
public final class Bar {
  private Bar() {}

  /**
   * @param fraction how much is done; below 0 counts as 0, above 1 as 1
   * @param width of the bar in characters, without its ends
   */
  public static String of(double fraction, int width) {
    int filled = (int) Math.round(Math.clamp(fraction, 0, 1) * width);
    return "[" + "#".repeat(filled) + "-".repeat(width - filled) + "]";
  }
}
