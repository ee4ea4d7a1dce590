package io.stoker.agent.supervise;

import java.util.Optional;

/**
 * Decides when a helper process that does not run is started again, and whether it can be relied
 * on. One that dies now and then is started again at once, and nobody need know; one that cannot be
 * started, or dies as soon as it is, is tried again for ever, ever more slowly, and is relied on
 * again once it has lived for as long as it was waited for.
 *
 * @param failures in a row: deaths soon after a start, and starts that came to nothing
 * @param up whether it runs
 * @param since when that began, ms of any clock that does not stand still or go back
 * @param trouble why it could not be relied on when it was last looked at; empty if it could
 */
record Revival(int failures, boolean up, long since, Optional<String> trouble) {
  private static final long FIRST_PAUSE = 100;
  private static final long LONGEST_PAUSE = 5_000;
  private static final int MOST_DOUBLINGS = 6;

  /** One that has lived for so long is as good as any other. */
  private static final long STEADY = 10_000;

  /** It is about to be started for the first time. */
  static Revival first(long now) {
    return new Revival(0, false, now, Optional.empty());
  }

  Revival started(long now) {
    return new Revival(failures, true, now, trouble);
  }

  /** It cannot be started. */
  Revival notStarted(long now, String why) {
    return new Revival(failures + 1, false, now, Optional.of(why));
  }

  Revival died(long now, String why) {
    boolean steady = up && now - since >= STEADY;
    boolean again = !steady && failures > 0;
    return new Revival(
        steady ? 1 : failures + 1, false, now, again ? Optional.of(why) : Optional.empty());
  }

  /** Ms until it is tried again, or until one that runs is relied on. */
  long pause() {
    int doublings = Math.clamp(failures - 1L, 0, MOST_DOUBLINGS);
    return Math.min(LONGEST_PAUSE, FIRST_PAUSE << doublings);
  }

  /** Whether it has lived for long enough to be relied on; forgets what was wrong if so. */
  Revival looked(long now) {
    return up && now - since >= pause()
        ? new Revival(failures, true, since, Optional.empty())
        : this;
  }
}
