package io.stoker.agent.container;

import java.util.Optional;
import java.util.Set;

/**
 * The state of a container, as its engine tells it.
 *
 * @param status the engine's word for it
 * @param exitCode of its first process, if that has ended
 * @param outOfMemory whether the kernel killed in it for want of memory
 * @param pid of its first process on this host, 0 if it has none
 */
record ContainerState(String status, int exitCode, boolean outOfMemory, long pid) {
  /** What is asked of the engine. */
  static final String FORMAT =
      "{{.State.Status}} {{.State.ExitCode}} {{.State.OOMKilled}} {{.State.Pid}}";

  private static final Set<String> BEFORE = Set.of("created", "configured", "initialized");
  private static final Set<String> OVER = Set.of("exited", "stopped", "dead");

  /** Reads an answer to {@link #FORMAT}. */
  static Optional<ContainerState> parse(String line) {
    String[] words = line.strip().split(" +");
    if (words.length != 4) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ContainerState(
              words[0],
              Integer.parseInt(words[1]),
              Boolean.parseBoolean(words[2]),
              Long.parseLong(words[3])));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Whether it has never run. */
  boolean before() {
    return BEFORE.contains(status);
  }

  boolean over() {
    return OVER.contains(status);
  }
}
