package io.stoker.dispatcher.retention;

import java.time.Duration;

/**
 * Before when what is to be dropped has to have ended; ms since 1970.
 *
 * @param requests requests, with their statuses
 * @param results succeeded jobs, to answer no more equals
 * @param jobs jobs, altogether
 */
public record Deadlines(long requests, long results, long jobs) {
  /** More than a round over all tables takes. */
  private static final Duration SLACK = Duration.ofDays(1);

  /**
   * A result answers for {@code keepResults} after its end; whom it answered last is kept for
   * {@code keepRequests} from then on, and shows the job's result as long. After both, no request
   * refers to the job, and nobody needs to look whether one does.
   */
  public static Deadlines at(long now, Duration keepRequests, Duration keepResults) {
    long results = now - keepResults.toMillis();
    return new Deadlines(
        now - keepRequests.toMillis(),
        results,
        results - keepRequests.toMillis() - SLACK.toMillis());
  }
}
