package io.stoker.dispatcher.api;

import io.stoker.common.message.LogChunk;
import java.util.HashSet;
import java.util.Set;

/**
 * How far a job's output has been read: each chunk counts once, and the job's output is over with
 * its last attempt's last chunk.
 */
final class LogProgress {
  private final String job;
  private final Set<String> seen = new HashSet<>();
  private int lastOfAttempt;

  LogProgress(String job) {
    this.job = job;
  }

  /** Whether the chunk is of the job and new. */
  boolean take(LogChunk chunk) {
    if (!job.equals(chunk.job()) || !seen.add(chunk.attempt() + "/" + chunk.n())) {
      return false;
    }
    if (chunk.last()) {
      lastOfAttempt = Math.max(lastOfAttempt, chunk.attempt());
    }
    return true;
  }

  /** Whether the output of this attempt, the job's last, has been read to its end. */
  boolean complete(int attempt) {
    return lastOfAttempt >= attempt;
  }
}
