package io.stoker.dispatcher.retention;

import java.time.Duration;

/**
 * Before when what is to be dropped has to have ended; ms since 1970.
 *
 * @param requests requests, with their statuses
 * @param results succeeded jobs, to answer no more equals
 */
public record Deadlines(long requests, long results) {
  public static Deadlines at(long now, Duration keepRequests, Duration keepResults) {
    return new Deadlines(now - keepRequests.toMillis(), now - keepResults.toMillis());
  }

  /** Jobs, altogether: whom they answered, and who shares them, is kept longer. */
  public long jobs() {
    return Math.min(requests, results);
  }
}
