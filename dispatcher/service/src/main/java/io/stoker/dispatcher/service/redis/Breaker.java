package io.stoker.dispatcher.service.redis;

import java.util.function.LongSupplier;

/**
 * Keeps calls away from a service that fails. After several failures in a row it is open for a
 * while; then one call is let through, and decides.
 */
final class Breaker {
  private final int failuresToOpen;
  private final long openMs;
  private final LongSupplier clock;
  private int failures;
  private long closedAgainAt;

  /**
   * @param clock monotonic, ms
   */
  Breaker(int failuresToOpen, long openMs, LongSupplier clock) {
    this.failuresToOpen = failuresToOpen;
    this.openMs = openMs;
    this.clock = clock;
  }

  /** Whether a call may be tried; whoever is told so tells how it went. */
  synchronized boolean allows() {
    if (!open()) {
      return true;
    }
    long now = clock.getAsLong();
    if (now < closedAgainAt) {
      return false;
    }
    // The one that tries; the others wait for its answer as long as for an open breaker.
    closedAgainAt = now + openMs;
    return true;
  }

  /** Whether the last calls failed, as many as it takes. */
  synchronized boolean open() {
    return failures >= failuresToOpen;
  }

  synchronized void succeeded() {
    failures = 0;
  }

  synchronized void failed() {
    failures++;
    if (open()) {
      closedAgainAt = clock.getAsLong() + openMs;
    }
  }
}
