package io.stoker.agent.attempt;

/**
 * One try of a job.
 *
 * @param job the job's id
 * @param attempt its number, from 1
 */
public record AttemptKey(String job, int attempt) {

  /** Its name in folders, books and logs. */
  @Override
  public String toString() {
    return job + "-" + attempt;
  }
}
