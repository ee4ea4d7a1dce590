package io.stoker.dispatcher.model;

/** Numbers in order of arrival: the ms since 1970, and the place within that ms. */
public final class Arrival {
  /** Arrivals of one millisecond that keep their order. */
  public static final long PER_MS = 4096;

  private Arrival() {}

  /** The number of the first arrival at that time. */
  public static long first(long ms) {
    return ms * PER_MS;
  }

  /** When it arrived, ms since 1970. */
  public static long ms(long seq) {
    return seq / PER_MS;
  }
}
