package io.stoker.dispatcher.attempt;

import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.model.BackoffRow;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Says how long a failed job waits, and after what. */
public final class RetryWait {
  private RetryWait() {}

  /**
   * Such as {@code until 2026-03-01T10:00:02.125Z after the GPU_OOM of attempt 1}.
   *
   * @param attempt the number of the one that failed
   */
  public static String sentence(BackoffRow row, int attempt) {
    Instant until = Instant.ofEpochMilli(row.dueAt()).truncatedTo(ChronoUnit.MILLIS);
    return "until %s after the %s of attempt %d".formatted(until, named(row.category()), attempt);
  }

  private static String named(FailureCategory category) {
    return switch (category) {
      case APP, LAUNCH -> category + " failure";
      case TIMEOUT, GPU_OOM, HOST_OOM, DEVICE_FAULT, HOST_LOST, LIMIT -> category.name();
    };
  }
}
