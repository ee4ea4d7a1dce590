package io.stoker.dispatcher.ledger;

/**
 * A job that may be placed, and where it stands among those of its queue.
 *
 * @param group of the request that started it, null for none or where that is not held
 */
public record ReadyRow(
    String job, String queue, String shape, int priority, long seq, String group) {
  /** How much waiting makes up for one step of priority: so nobody is overtaken for ever. */
  public static final long PRIORITY_STEP_MS = 600_000;

  static ReadyRow of(JobRow job, long seq, String group) {
    return new ReadyRow(job.id(), job.queue(), job.shape(), job.priority(), seq, group);
  }

  /**
   * For a job of that priority whose room another one takes: behind all of a higher priority that
   * have come until now, so that none of these takes its room again.
   *
   * @param now ms since 1970
   */
  public static long behindHigher(long now) {
    return Arrival.first(now + 1 - PRIORITY_STEP_MS);
  }

  /** Its place, the lowest first. */
  public long rank() {
    return rank(priority, seq);
  }

  /**
   * The place of a job: its arrival, earlier by {@link #PRIORITY_STEP_MS} for each step of
   * priority. It does not change with time, so that the line can be kept in an index.
   */
  public static long rank(int priority, long seq) {
    return seq - Arrival.first(priority * PRIORITY_STEP_MS);
  }
}
