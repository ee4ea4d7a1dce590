package io.stoker.agent.attempt;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One process of a pool's worker.
 *
 * @param pool the pool's name
 * @param tag of the start of the agent, and of the pool in it: a later start of the agent knows
 *     none of these, and so ends what carries them
 * @param process its number, from 1
 */
public record WorkerKey(String pool, String tag, int process) implements RunKey {
  private static final Pattern STEM = Pattern.compile("pool:([^:]+):(.+)");

  static Optional<WorkerKey> of(String stem, int process) {
    Matcher parts = STEM.matcher(stem);
    return parts.matches()
        ? Optional.of(new WorkerKey(parts.group(1), parts.group(2), process))
        : Optional.empty();
  }

  @Override
  public String stem() {
    return "pool:" + pool + ":" + tag;
  }

  @Override
  public int number() {
    return process;
  }

  @Override
  public String toString() {
    return name();
  }
}
