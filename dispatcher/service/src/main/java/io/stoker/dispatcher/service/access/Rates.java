package io.stoker.dispatcher.service.access;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Says who calls too often: each caller has a bucket that fills with so many calls a second, up to
 * those of {@link #BURST}. To be used by one thread at a time.
 */
public final class Rates {
  /** What nobody has used for so long may be used at once. */
  public static final Duration BURST = Duration.ofSeconds(10);

  /** Callers that are remembered, those that called last. */
  private static final int CALLERS = 4096;

  private final long nanosACall;

  /** When each caller's bucket would be full again if they called no more. */
  private final Map<String, Long> full =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > CALLERS;
        }
      };

  /**
   * @param aSecond calls, from 1
   */
  public Rates(int aSecond) {
    if (aSecond < 1) {
      throw new IllegalArgumentException(
          "stoker.http.calls-per-second is %d, expected 1 or more".formatted(aSecond));
    }
    nanosACall = Duration.ofSeconds(1).toNanos() / aSecond;
  }

  /**
   * Counts a call.
   *
   * @param nanos now, by {@link System#nanoTime}
   * @return how long to wait before the next try; zero if this call may be answered
   */
  public Duration call(String caller, long nanos) {
    Long before = full.get(caller);
    long from = before == null || before - nanos < 0 ? nanos : before;
    long wait = from + nanosACall - nanos - BURST.toNanos();
    if (wait > 0) {
      return Duration.ofNanos(wait);
    }
    full.put(caller, from + nanosACall);
    return Duration.ZERO;
  }
}
