package io.stoker.e2e.outside;

import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;

/** A line each minute, for whoever watches an hour go by; and an end to it if nothing goes on. */
final class Progress {
  private static final long EVERY_NANOS = 60_000_000_000L;
  private static final long LONGEST_NANOS = 5 * EVERY_NANOS;

  private long last = System.nanoTime();
  private long lastEnd = System.nanoTime();
  private int ended;

  void show(Supplier<String> standing) {
    if (System.nanoTime() - last >= EVERY_NANOS) {
      last = System.nanoTime();
      System.out.printf("%s %s%n", LocalTime.now().truncatedTo(ChronoUnit.SECONDS), standing.get());
    }
  }

  /**
   * Notes how many requests have ended.
   *
   * @throws AssertionError if none has for long, so that the rest of the hour would show nothing
   */
  void ended(int count) {
    if (count > ended) {
      ended = count;
      lastEnd = System.nanoTime();
    } else if (System.nanoTime() - lastEnd >= LONGEST_NANOS) {
      throw new AssertionError(
          "of all requests %d have ended, none of them lately".formatted(count));
    }
  }
}
