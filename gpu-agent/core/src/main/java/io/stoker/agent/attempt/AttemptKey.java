package io.stoker.agent.attempt;

import java.util.Optional;

/**
 * One try of a job.
 *
 * @param job the job's id
 * @param attempt its number, from 1
 */
public record AttemptKey(String job, int attempt) {

  /** The attempt of a name; empty if that is none. */
  public static Optional<AttemptKey> parse(String name) {
    int dash = name.lastIndexOf('-');
    String number = name.substring(dash + 1);
    return dash > 0 && number.matches("[1-9][0-9]{0,8}")
        ? Optional.of(new AttemptKey(name.substring(0, dash), Integer.parseInt(number)))
        : Optional.empty();
  }

  /** Its name in folders, books and logs. */
  @Override
  public String toString() {
    return job + "-" + attempt;
  }
}
