package io.stoker.dispatcher.retention;

import java.time.Duration;

/**
 * Before when what is to be dropped has to have ended; ms since 1970.
 *
 * @param requests requests, with their statuses
 * @param results succeeded jobs, to answer no more equals
 * @param hosts of hosts, since when nothing was heard of them
 */
public record Deadlines(long requests, long results, long hosts) {
  public static Deadlines at(
      long now, Duration keepRequests, Duration keepResults, Duration keepHosts) {
    return new Deadlines(
        now - keepRequests.toMillis(), now - keepResults.toMillis(), now - keepHosts.toMillis());
  }

  /** Jobs, altogether: whom they answered, and who shares them, is kept longer. */
  public long jobs() {
    return Math.min(requests, results);
  }
}
