package io.stoker.dispatcher.runtime;

import java.time.Duration;

/**
 * Computes the delay between two runs of a coalescing task, by how many jobs the last run was
 * about. Most of what a small run costs is the transaction, and the records on each partition; so
 * where there is load the next run is given time to find more. Whoever is alone waits for nothing.
 */
public final class BatchDelay {
  /** At least so many jobs in a run mean load. */
  private static final int SOME = 2;

  /** At least so many jobs: 25 ms more are little beside what the last of them waits anyway. */
  public static final int MANY = 32;

  private static final long SHORT_NANOS = Duration.ofMillis(5).toNanos();
  private static final long LONG_NANOS = Duration.ofMillis(25).toNanos();

  private BatchDelay() {}

  /** From the start of a run with that many jobs to the start of the next, in ns. */
  public static long nanosAfter(int jobs) {
    if (jobs >= MANY) {
      return LONG_NANOS;
    }
    return jobs >= SOME ? SHORT_NANOS : 0;
  }
}
