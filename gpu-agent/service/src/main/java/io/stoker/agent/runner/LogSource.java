package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.common.message.LogChunk;

/**
 * Whose output it is.
 *
 * @param request id of the job's first request
 * @param host that the run is on
 * @param rank which member of its gang the host has; null if the host has all of the attempt
 */
record LogSource(AttemptKey key, String request, String host, Integer rank) {

  /** A piece of it. */
  LogChunk chunk(String stream, int n, long at, String text, boolean last, boolean truncated) {
    return new LogChunk(
        key.job(), key.attempt(), rank, host, request, stream, n, at, text, last, truncated);
  }
}
