package io.stoker.agent.app;

import io.stoker.agent.hardware.HostMemory;
import java.util.Optional;
import java.util.OptionalLong;

/** Computes the memory of its host that an agent offers to its jobs. */
final class OfferedMemory {
  private OfferedMemory() {}

  /**
   * What the configuration says, if that is less than there is; else what there is; nothing where
   * neither is known.
   *
   * @param configured {@code stoker.agent.memory.total}
   * @param measured what the host has, and may be taken of it
   */
  static OptionalLong of(Optional<String> configured, Optional<HostMemory> measured) {
    if (configured.isEmpty()) {
      return measured.isEmpty() ? OptionalLong.empty() : OptionalLong.of(measured.get().total());
    }
    long told = StagedRules.size("memory.total", configured.get());
    return OptionalLong.of(measured.map(there -> Math.min(there.total(), told)).orElse(told));
  }
}
