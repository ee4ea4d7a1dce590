package io.stoker.agent.attempt;

import io.stoker.agent.pool.Task;
import io.stoker.common.message.ToAgent.Place;
import java.util.Optional;

/**
 * One try of a job.
 *
 * @param job the job's id
 * @param attempt its number, from 1
 */
public record AttemptKey(String job, int attempt) implements RunKey {
  /** That of a placement. */
  public static AttemptKey of(Place place) {
    return new AttemptKey(place.job(), place.attempt());
  }

  /** That of a pool's task. */
  static AttemptKey of(Task task) {
    return new AttemptKey(task.job(), task.attempt());
  }

  /** As its pool knows it. */
  Task task() {
    return new Task(job, attempt);
  }

  /** The attempt of a name; empty if that is of none. */
  public static Optional<AttemptKey> parse(String name) {
    return RunKey.parse(name).filter(AttemptKey.class::isInstance).map(AttemptKey.class::cast);
  }

  @Override
  public String stem() {
    return job;
  }

  @Override
  public int number() {
    return attempt;
  }

  @Override
  public String toString() {
    return name();
  }
}
