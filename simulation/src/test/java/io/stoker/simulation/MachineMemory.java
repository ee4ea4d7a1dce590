package io.stoker.simulation;

import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceLedger;
import io.stoker.agent.device.DeviceType;
import io.stoker.agent.device.Inventory;
import io.stoker.common.state.FailureCategory;
import io.stoker.simulation.Machine.Run;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The memory of a host and of its GPUs, and what the processes that are alive take of it. */
final class MachineMemory {
  static final long OF_GPU = 16L << 30;
  static final long OF_HOST = 16L << 30;
  private static final long OF_SYSTEM = 1L << 30;

  private final Supplier<Stream<Run>> alive;

  MachineMemory(Supplier<Stream<Run>> alive) {
    this.alive = alive;
  }

  /** What there is, with nothing of it taken. */
  static DeviceLedger ledger(int gpus, int slots) {
    List<Device> devices =
        IntStream.range(0, gpus)
            .mapToObj(
                i ->
                    new Device(
                        "" + i, "GPU-" + i, "model", OF_GPU, DeviceType.GPU, Optional.empty()))
            .toList();
    return DeviceLedger.of(
        new Inventory(
            devices,
            slots,
            Optional.empty(),
            gpus == 0 ? Optional.of("simulated") : Optional.empty(),
            List.of()));
  }

  /** Bytes of the host that can be had. */
  long free() {
    return OF_HOST - OF_SYSTEM - alive.get().mapToLong(run -> run.memory).sum();
  }

  /** Gives it this part of what it takes in the end; says what is full if that cannot be had. */
  Optional<FailureCategory> grow(Run run, int part) {
    long gpu = (run.place.params().path("gib").asLong() << 30) / part;
    long host = (run.place.params().path("mem").asLong() << 30) / part;
    boolean gpuFull =
        run.allocation.devices().stream()
            .anyMatch(device -> taken(device) - run.gpuMemory + gpu > OF_GPU);
    if (gpuFull) {
      return Optional.of(FailureCategory.GPU_OOM);
    }
    if (free() + run.memory < host) {
      return Optional.of(FailureCategory.HOST_OOM);
    }
    run.gpuMemory = run.allocation.devices().isEmpty() ? 0 : gpu;
    run.memory = host;
    return Optional.empty();
  }

  /** Bytes that are taken of a device. */
  long taken(String device) {
    return alive.get().mapToLong(run -> run.usedOn(device)).sum();
  }
}
