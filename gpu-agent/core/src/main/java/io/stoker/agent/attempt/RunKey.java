package io.stoker.agent.attempt;

import java.util.Optional;

/**
 * The name of a run: one try of a job, or one process of a pool's worker. Its text is in folders,
 * logs, control groups and the processes themselves, also of agents of earlier builds, so it never
 * changes.
 */
public sealed interface RunKey permits AttemptKey, WorkerKey {
  /** What its number counts, as logs and its environment have it: its job, or its pool's start. */
  String stem();

  /** From 1. */
  int number();

  /** Its text. */
  default String name() {
    return stem() + "-" + number();
  }

  /** That of a text; empty if it is none. */
  static Optional<RunKey> parse(String name) {
    int dash = name.lastIndexOf('-');
    String digits = name.substring(dash + 1);
    if (dash <= 0 || !digits.matches("[1-9][0-9]{0,8}")) {
      return Optional.empty();
    }
    String stem = name.substring(0, dash);
    int number = Integer.parseInt(digits);
    return Optional.of(
        WorkerKey.of(stem, number)
            .<RunKey>map(worker -> worker)
            .orElseGet(() -> new AttemptKey(stem, number)));
  }
}
