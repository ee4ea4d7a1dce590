package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A read that is made again and again, and that may come to take long: no more than about a tenth
 * of the time is spent on it. As long as somebody holds a transaction open on the database, nobody
 * may clear away what is deleted, and who looks for the few rows of a table that live passes by all
 * that have died since.
 */
public final class Rationed {
  /** What takes no longer is made whenever it is wanted. */
  private static final long QUICK_NANOS = Duration.ofMillis(5).toNanos();

  private static final int PART = 10;

  /** It is made so often in any case. */
  private static final long MOST_NANOS = Duration.ofSeconds(30).toNanos();

  private final LongSupplier nanos;
  private volatile long endedAt;

  /** The quicker one of the last two: what made a single one slow may have been anything. */
  private volatile long tookNanos;

  private long tookLast;

  /**
   * @param nanos a steady clock, ns
   */
  public Rationed(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Whether it may be made now. */
  public boolean isDue() {
    long apart = apartNanos();
    return apart == 0 || nanos.getAsLong() - endedAt >= apart;
  }

  /** Makes it, and notes how long it takes; several at once are each noted. */
  public <T> Uni<T> made(Supplier<Uni<T>> read) {
    return Uni.createFrom()
        .deferred(
            () -> {
              long from = nanos.getAsLong();
              return read.get().invoke(() -> took(from));
            });
  }

  /** How long to wait until it is made again, ns. */
  private long apartNanos() {
    long took = tookNanos;
    return took <= QUICK_NANOS ? 0 : Math.min(MOST_NANOS, PART * took);
  }

  private synchronized void took(long from) {
    long now = nanos.getAsLong();
    long took = now - from;
    tookNanos = Math.min(took, tookLast);
    tookLast = took;
    endedAt = now;
  }
}
