package io.stoker.agent.container;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The settings of containers.
 *
 * @param cli the engine's command: a name that is found on the path, or a path
 * @param slots containers at once
 * @param gpus how GPUs are given to them
 * @param pull when images are fetched
 * @param user {@code uid:gid} that they run as; empty for what the image says
 * @param shmSize bytes of {@code /dev/shm}; empty for the engine's
 * @param cpusPerSlot CPUs that a CPU slot is worth; empty for no limit
 * @param mounts folders of the host that requests may name in {@code workdir}, and what is in them
 * @param arguments more of the engine's arguments, for each of them
 */
public record ContainerSettings(
    String cli,
    int slots,
    GpuOption gpus,
    Pull pull,
    Optional<String> user,
    OptionalLong shmSize,
    OptionalDouble cpusPerSlot,
    List<Path> mounts,
    List<String> arguments) {
  /** How an engine is told which GPUs a container has. */
  public enum GpuOption {
    /** {@code --gpus device=…}. */
    GPUS,
    /** {@code --device nvidia.com/gpu=…}, by the Container Device Interface. */
    CDI
  }

  /** When an image is fetched from its registry. */
  public enum Pull {
    /** When it is not here. */
    MISSING,
    ALWAYS,
    NEVER
  }

  public ContainerSettings {
    arguments = List.copyOf(arguments);
    mounts = List.copyOf(mounts);
    if (slots < 0) {
      throw new IllegalArgumentException("slots: %d, expected 0 or more".formatted(slots));
    }
    if (cpusPerSlot.isPresent() && !(cpusPerSlot.getAsDouble() > 0)) {
      throw new IllegalArgumentException(
          "cpus-per-slot: %s, expected a number above 0".formatted(cpusPerSlot.getAsDouble()));
    }
  }
}
