package io.stoker.common.message;

/**
 * A piece of a job's output on the logs topic, keyed by job id.
 *
 * @param stream {@code stdout} or {@code stderr}
 * @param n number of the chunk within the attempt, from 0, rising, over restarts of the agent too;
 *     one that comes twice has the same text, and a gap shows what was dropped
 * @param at the agent's clock, ms since 1970
 * @param text whole lines where possible, UTF-8; malformed bytes replaced
 * @param last whether the attempt writes no more after it
 * @param truncated whether the cap was reached and the rest is left out
 */
public record LogChunk(
    String job,
    int attempt,
    String request,
    String stream,
    int n,
    long at,
    String text,
    boolean last,
    boolean truncated) {}
