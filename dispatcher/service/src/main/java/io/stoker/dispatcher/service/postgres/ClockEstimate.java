package io.stoker.dispatcher.service.postgres;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Estimates the database's clock from when it was last read. */
final class ClockEstimate {
  /** Null until it was read. */
  private volatile Reading last;

  /**
   * A reading.
   *
   * @param now what it showed, ms since 1970
   * @param at when that was heard, ns on a clock that never goes back
   */
  private record Reading(long now, long at) {}

  void read(long now) {
    last = new Reading(now, System.nanoTime());
  }

  /** Later by no more than what the two clocks differ in pace, earlier by what an answer takes. */
  OptionalLong now() {
    Reading known = last;
    return known == null
        ? OptionalLong.empty()
        : OptionalLong.of(
            known.now() + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - known.at()));
  }
}
