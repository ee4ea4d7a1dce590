package io.stoker.agent.pool;

/** A job's attempt that a pool has. */
public record Task(String job, int attempt) {
  @Override
  public String toString() {
    return job + "-" + attempt;
  }
}
