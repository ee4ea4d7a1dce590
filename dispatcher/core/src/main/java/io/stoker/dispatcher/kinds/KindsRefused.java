package io.stoker.dispatcher.kinds;

/** A file of kinds that is not taken: the line, and what is wrong there. */
public final class KindsRefused extends Exception {
  private final int line;

  public KindsRefused(int line, String reason) {
    super(reason);
    this.line = line;
  }

  /** From 1. */
  public int line() {
    return line;
  }
}
