package io.stoker.dispatcher.runtime;

import java.time.Duration;

/**
 * How far apart runs of a pump start, by how many jobs the last one was about. Most of what a small
 * run costs is the transaction, and the records on each partition; so where there is load the next
 * run is given time to find more. Whoever is alone waits for nothing.
 */
public final class Spacing {
  /** So many jobs at once come of load. */
  private static final int SOME = 2;

  /** So many, and what the last one in line waits is long beside a fortieth of a second. */
  public static final int MANY = 32;

  private static final long SHORT_NANOS = Duration.ofMillis(5).toNanos();
  private static final long LONG_NANOS = Duration.ofMillis(25).toNanos();

  private Spacing() {}

  /** From the start of a run with that many jobs to the start of the next, in ns. */
  public static long nanosAfter(int jobs) {
    if (jobs >= MANY) {
      return LONG_NANOS;
    }
    return jobs >= SOME ? SHORT_NANOS : 0;
  }
}
