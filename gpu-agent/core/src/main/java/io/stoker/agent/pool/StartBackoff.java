package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Phase;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** Waits longer between starts of workers that do not come or never get ready. */
final class StartBackoff {
  /** Starts in a row that come to nothing before the pool is given up. */
  static final int MOST_FAILURES = 3;

  /** Before a worker that could not be had is asked for again. */
  static final long PAUSE = 500;

  /** Pauses double with each failure, no more often than this. */
  private static final int MOST_DOUBLINGS = 6;

  private final long patience;

  /** Starts in a row that came to nothing. */
  private int failures;

  /** Since when no worker can be had, for tasks that wait for one. */
  private OptionalLong without = OptionalLong.empty();

  /**
   * @param patience how long tasks wait while no worker can be had
   */
  StartBackoff(long patience) {
    this.patience = patience;
  }

  /** One is ready. */
  void ready(Slot slot, long now) {
    slot.failures = 0;
    slot.enter(Phase.IDLE, now);
    failures = 0;
    without = OptionalLong.empty();
  }

  /** One ended before it was ready. */
  void failed(Slot slot, long now) {
    failures++;
    slot.failures++;
    slot.notBefore = now + (PAUSE << Math.min(MOST_DOUBLINGS, slot.failures));
  }

  /**
   * One cannot be had now, through no fault of its own.
   *
   * @param last whether there is no other
   * @return whether tasks begin to wait in vain
   */
  boolean refused(Slot slot, boolean last, long now) {
    slot.notBefore = now + PAUSE;
    if (without.isPresent() || !last) {
      return false;
    }
    without = OptionalLong.of(now);
    return true;
  }

  boolean hopeless() {
    return failures >= MOST_FAILURES;
  }

  void renew() {
    failures = 0;
  }

  /**
   * Whether tasks have waited in vain for too long; then they do not any more.
   *
   * @param starting whether a worker is on its way to them
   */
  boolean takeDespair(boolean starting, long now) {
    boolean over = without.isPresent() && now >= despairAt(starting);
    without = over ? OptionalLong.empty() : without;
    return over;
  }

  /** One that was granted meanwhile is waited for as long again, which is all that it may take. */
  private long despairAt(boolean starting) {
    return without.getAsLong() + (starting ? 2 * patience : patience);
  }

  LongStream nextTick(boolean starting) {
    return without.isPresent() ? LongStream.of(despairAt(starting)) : LongStream.empty();
  }
}
