package io.stoker.cli.stack.child;

import java.time.Duration;

/**
 * Computes how long a child that died waits for its next start: a moment at first, longer from
 * death to death, and a moment again once it has lived for a while.
 *
 * @param deaths in a row, each after a short life
 */
public record Backoff(int deaths) {
  /** Before any death. */
  public static final Backoff FRESH = new Backoff(0);

  static final Duration FIRST = Duration.ofMillis(200);
  static final Duration LONGEST = Duration.ofSeconds(10);

  /** A life this long counts as healthy. */
  static final Duration HEALTHY = Duration.ofSeconds(30);

  /** The wait after one more death. */
  public Backoff afterDeath(Duration lived) {
    return new Backoff(lived.compareTo(HEALTHY) >= 0 ? 1 : deaths + 1);
  }

  /** Zero before the first death, then doubling from 200 ms to 10 s. */
  public Duration delay() {
    if (deaths == 0) {
      return Duration.ZERO;
    }
    int doublings = Math.min(deaths - 1, 10);
    Duration delay = FIRST.multipliedBy(1L << doublings);
    return delay.compareTo(LONGEST) < 0 ? delay : LONGEST;
  }
}
