package io.stoker.dispatcher.model;

/**
 * A job that may be placed, and where it stands among those of its queue.
 *
 * @param rank its place, the lowest first; see {@link #rank(int, long, long)}
 * @param group that says whether it may start, if it has a plan; empty for none, null where that is
 *     not known
 */
public record ReadyRow(
    String job, String queue, String shape, int priority, long seq, long rank, String group) {
  /**
   * How much waiting makes up for one step of priority, unless a queue is configured otherwise: so
   * nobody is overtaken for ever.
   */
  public static final long AGING_MS = 600_000;

  static ReadyRow of(JobRow job, long seq, String group) {
    long rank = rank(job.asked().priority(), seq, job.asked().policy().aging());
    return new ReadyRow(
        job.id(),
        job.asked().queue(),
        job.asked().shape(),
        job.asked().priority(),
        seq,
        rank,
        group);
  }

  /**
   * For a job whose room another one of its queue takes: behind all of a higher priority that have
   * come until now, so that none of these takes its room again.
   *
   * @param now ms since 1970
   */
  public static long behindHigher(long agingMs, long now) {
    return Arrival.first(now + 1 - agingMs);
  }

  /**
   * The place of a job: its arrival, earlier by so much for each step of priority. It does not
   * change with time, so that the line can be kept in an index.
   */
  public static long rank(int priority, long seq, long agingMs) {
    return seq - Arrival.first(priority * agingMs);
  }
}
