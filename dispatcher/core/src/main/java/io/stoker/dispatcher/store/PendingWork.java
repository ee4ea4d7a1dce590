package io.stoker.dispatcher.store;

/**
 * The port that tells, by one statement, what waits in the store: a stack at rest costs one look a
 * second instead of one by everybody who may have something to do. Each answer comes from the first
 * row of a table or an index, however much waits.
 *
 * @param timers some have run out
 * @param attempts some are open
 * @param line jobs wait to be placed
 * @param backoff a failed job's wait is over, or will be within a second
 * @param usage something was used that is not folded
 * @param memory peaks were measured that are not folded
 * @param launches something is held against a host
 * @param groups counts of groups are not folded
 * @param counts counts of lines are not folded
 * @param experiments groups with a plan have not ended
 * @param fanOuts some are not worked through
 * @param statuses some are owed
 */
public record PendingWork(
    boolean timers,
    boolean attempts,
    boolean line,
    boolean backoff,
    boolean usage,
    boolean memory,
    boolean launches,
    boolean groups,
    boolean counts,
    boolean experiments,
    boolean fanOuts,
    boolean statuses) {
  /** For who has not looked yet. */
  public static final PendingWork ALL =
      new PendingWork(true, true, true, true, true, true, true, true, true, true, true, true);
}
