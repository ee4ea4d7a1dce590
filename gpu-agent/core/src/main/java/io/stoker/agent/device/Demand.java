package io.stoker.agent.device;

import io.stoker.common.request.Resources;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** What a job asks of a host's devices. */
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

    /** A demand that avoids nothing. */
    public Gpu(
        int gpus,
        OptionalLong memory,
        boolean shared,
        Optional<String> device,
        boolean cpuFallback) {
      this(gpus, memory, shared, device, cpuFallback, Set.of());
    }

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

  /** GPUs, exclusively, on any devices. */
  static Gpu gpus(int gpus) {
    return new Gpu(gpus, OptionalLong.empty(), false, Optional.empty(), true);
  }

  /** A share of one GPU with so many bytes. */
  static Gpu shared(long memory) {
    return new Gpu(1, OptionalLong.of(memory), true, Optional.empty(), true);
  }

  /** CPU slots. */
  static Cpu cpus(int slots) {
    return new Cpu(slots);
  }

  /** What a request's resources ask for. */
  static Demand of(Resources resources) {
    if (resources.gpus() == 0) {
      return cpus(resources.cpus());
    }
    return new Gpu(
        resources.gpus(),
        resources.gpuMemory().map(OptionalLong::of).orElseGet(OptionalLong::empty),
        resources.sharing() == Resources.Sharing.SHARED,
        resources.device(),
        resources.cpuFallback());
  }
}
