package io.stoker.dispatcher.experiment;

/**
 * A group with a plan, as the database holds it.
 *
 * @param reason why it is being ended, or was, before its time
 * @param endedAt ms since 1970; null while it has not ended
 * @param best the request with the best score, once it has ended; null if there is none
 */
public record ExperimentRow(
    String name,
    Plan plan,
    State state,
    String reason,
    long createdAt,
    Long endedAt,
    String best,
    Double bestScore) {
  /** Where it stands. The last three are final. */
  public enum State {
    RUNNING,
    /** A request has failed: nothing more starts, what runs goes on. */
    FAILING,
    /** Somebody asked for its end: all of it is being ended. */
    STOPPING,
    FINISHED,
    FAILED,
    STOPPED;

    public boolean over() {
      return compareTo(FINISHED) >= 0;
    }

    /** Whether requests that arrive are ended at once. */
    public boolean closedToNew() {
      return this != RUNNING && this != FINISHED;
    }
  }

  ExperimentRow in(State next, String why, Long at) {
    return new ExperimentRow(name, plan, next, why, createdAt, at, best, bestScore);
  }

  /** With the best of it. */
  public ExperimentRow best(String request, Double score) {
    return new ExperimentRow(name, plan, state, reason, createdAt, endedAt, request, score);
  }
}
