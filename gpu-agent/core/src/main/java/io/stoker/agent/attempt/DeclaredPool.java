package io.stoker.agent.attempt;

import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.message.ToAgent.WorkerPool;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A pool as a kind declares it, in this host's terms. */
final class DeclaredPool {
  private DeclaredPool() {}

  /**
   * Its settings.
   *
   * @throws IllegalArgumentException naming the field that is wrong
   */
  static PoolSettings settings(WorkerPool one) {
    if (one.command() == null) {
      throw new IllegalArgumentException("command: missing, expected a program and its arguments");
    }
    return new PoolSettings(
        one.name(),
        one.command(),
        one.env() == null ? Map.of() : one.env(),
        one.secrets() == null ? Map.of() : one.secrets(),
        Optional.ofNullable(one.workdir()),
        one.min(),
        one.max(),
        one.queue(),
        one.output(),
        one.idleMs(),
        one.startMs(),
        one.closeMs(),
        one.restart(),
        one.gpus(),
        one.gpuMemory() == null ? OptionalLong.empty() : OptionalLong.of(one.gpuMemory()),
        one.cpuSlots());
  }

  /** The same, or nothing if it is wrong. */
  static Optional<PoolSettings> usable(WorkerPool one) {
    try {
      return Optional.of(settings(one));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
