package io.stoker.common.state;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The categories of failed attempts; each has a number of total attempts of its own. */
public enum FailureCategory {
  /** The job itself ended with an exit code other than 0. */
  APP("app", 1),
  /** It could not be started: no such command, not executable, no work folder. */
  LAUNCH("launch", 1),
  /** It ran longer than its time-out. */
  TIMEOUT("timeout", 1),
  GPU_OOM("gpuOom", 3),
  HOST_OOM("hostOom", 3),
  DEVICE_FAULT("deviceFault", 3),
  /** Its host or agent was lost with it. */
  HOST_LOST("hostLost", 3),
  /** It broke a rule of its host, such as that GPUs may not idle, and was ended for it. */
  LIMIT("limit", 1);

  private final String key;
  private final int defaultAttempts;

  FailureCategory(String key, int defaultAttempts) {
    this.key = key;
    this.defaultAttempts = defaultAttempts;
  }

  /** Its name in a request's {@code retry}. */
  public String key() {
    return key;
  }

  /** Attempts in total, the first included, unless the request says otherwise. */
  public int defaultAttempts() {
    return defaultAttempts;
  }

  /** All keys, for error messages. */
  public static String keys() {
    return Arrays.stream(values()).map(FailureCategory::key).collect(Collectors.joining(", "));
  }
}
