package io.stoker.agent.device;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The demand of a job for devices of a host. */
public sealed interface Demand {
  /**
   * GPUs. On a host without GPU, as many CPU slots instead, unless {@code cpuFallback} is false.
   *
   * @param gpus how many, 1 or more
   * @param memory bytes needed on each; a job that shares without saying how much cannot be
   *     accounted for, and is given its device alone
   * @param shared whether others may run on the same GPUs
   * @param device the only device that will do, if any; then {@code gpus} is 1
   * @param avoid devices that will do only if no others ever could
   */
  record Gpu(
      int gpus,
      OptionalLong memory,
      boolean shared,
      Optional<String> device,
      boolean cpuFallback,
      Set<String> avoid)
      implements Demand {
    public Gpu {
      if (gpus < 1) {
        throw new DeviceException("gpus is %d; expected 1 or more".formatted(gpus));
      }
      if (memory.isPresent() && memory.getAsLong() < 0) {
        throw new DeviceException(
            "gpuMemory is %d; expected 0 or more".formatted(memory.getAsLong()));
      }
      if (device.isPresent() && gpus != 1) {
        throw new DeviceException(
            "device '%s' is named and gpus is %d; expected 1".formatted(device.get(), gpus));
      }
    }

    /**
     * The same, counted with so many bytes if it is to share and does not say how much it takes.
     */
    Gpu assuming(OptionalLong bytes) {
      return shared && memory.isEmpty()
          ? new Gpu(gpus, bytes, true, device, cpuFallback, avoid)
          : this;
    }

    /** Whether nobody else may hold the same device. */
    boolean exclusive() {
      return !shared || memory.isEmpty();
    }
  }

  /**
   * CPU slots.
   *
   * @param slots 0 or more
   */
  record Cpu(int slots) implements Demand {
    public Cpu {
      if (slots < 0) {
        throw new DeviceException("cpus is %d; expected 0 or more".formatted(slots));
      }
    }
  }

  static Cpu cpus(int slots) {
    return new Cpu(slots);
  }
}
