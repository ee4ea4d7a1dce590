package io.stoker.common.message;

import io.stoker.common.text.PlainText;

/**
 * A piece of a job's output on the logs topic, keyed by job id.
 *
 * @param rank which member of its gang wrote it, from 0; null for a job that has one host
 * @param host on which it was written; null from agents that did not say so
 * @param stream {@code stdout} or {@code stderr}
 * @param n number of the chunk within the attempt, or within what one member of a gang writes of
 *     it; from 0, rising, over restarts of the agent too; one that comes twice has the same text,
 *     and a gap shows what was dropped
 * @param at the agent's clock, ms since 1970
 * @param text whole lines where possible, UTF-8; malformed bytes replaced
 * @param last whether the attempt, or this member of it, writes no more after it
 * @param truncated whether the cap was reached and the rest is left out
 * @param mac HMAC under the host's key of the record's bytes before this field, which is the last
 *     one, as of {@link EventsRecord}; null from a host that does not sign its output
 */
public record LogChunk(
    String job,
    int attempt,
    Integer rank,
    String host,
    String request,
    String stream,
    int n,
    long at,
    String text,
    boolean last,
    boolean truncated,
    String mac) {
  /** Of what a dispatcher says among the chunks that it shows: no number on the topic. */
  private static final int REMARK = -1;

  public LogChunk {
    text = PlainText.wellFormed(text);
  }

  /**
   * Whose output it is.
   *
   * @param rank which member of its gang the host has; null if the host has all of the attempt
   * @param host that the run is on
   * @param request id of the job's first request
   */
  public record Source(String job, int attempt, Integer rank, String host, String request) {}

  /** One that is not signed yet. */
  public LogChunk(
      Source of, String stream, int n, long at, String text, boolean last, boolean truncated) {
    this(
        of.job,
        of.attempt,
        of.rank,
        of.host,
        of.request,
        stream,
        n,
        at,
        text,
        last,
        truncated,
        null);
  }

  /**
   * What a dispatcher says of the output, among its chunks: one line on {@code stderr}, of no host.
   */
  public static LogChunk remark(String job, int attempt, long at, String line) {
    Source source = new Source(job, attempt, null, null, null);
    return new LogChunk(source, "stderr", REMARK, at, line + "\n", false, false);
  }

  /** Whether a dispatcher says it, and not the job. */
  public boolean ofDispatcher() {
    return n == REMARK;
  }

  /** The same with another text, unsigned. */
  public LogChunk withText(String other) {
    Source source = new Source(job, attempt, rank, host, request);
    return new LogChunk(source, stream, n, at, other, last, truncated);
  }

  /** Whether it is of a member of a gang. */
  public boolean ofGang() {
    return rank != null;
  }
}
