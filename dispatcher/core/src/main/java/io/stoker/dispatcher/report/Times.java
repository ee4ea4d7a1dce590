package io.stoker.dispatcher.report;

import java.time.Duration;

/** Times for people. */
public final class Times {
  private Times() {}

  /** A time as {@code HH:MM:SS.mmm}; less than none is none. */
  public static String clock(long ms) {
    Duration time = Duration.ofMillis(Math.max(0, ms));
    return "%02d:%02d:%02d.%03d"
        .formatted(time.toHours(), time.toMinutesPart(), time.toSecondsPart(), time.toMillisPart());
  }
}
