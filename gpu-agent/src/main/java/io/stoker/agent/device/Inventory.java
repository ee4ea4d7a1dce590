package io.stoker.agent.device;

import io.stoker.agent.nvml.NvmlVersions;
import java.util.List;
import java.util.Optional;

/**
 * What a host has to give.
 *
 * @param devices in the order in which they are given out
 * @param cpuSlots CPU jobs at once, 0 or more
 * @param versions of the driver, if there is one
 * @param noGpu why this host offers no GPU; empty for a host with GPUs, even if none can be used
 *     now
 * @param faults GPUs that are there and cannot be used
 */
public record Inventory(
    List<Device> devices,
    int cpuSlots,
    Optional<NvmlVersions> versions,
    Optional<String> noGpu,
    List<DeviceFault> faults) {

  public Inventory {
    devices = List.copyOf(devices);
    faults = List.copyOf(faults);
    if (cpuSlots < 0) {
      throw new DeviceException("cpu-slots is %d; expected 0 or more".formatted(cpuSlots));
    }
    if (noGpu.isPresent() && !(devices.isEmpty() && faults.isEmpty())) {
      throw new DeviceException("a host without GPU has no devices: " + devices + faults);
    }
  }

  /** A host without GPU, for a reason. */
  public static Inventory withoutGpu(String reason, int cpuSlots) {
    return new Inventory(List.of(), cpuSlots, Optional.empty(), Optional.of(reason), List.of());
  }

  /** Whether GPU requests are served by GPUs here, now or later, rather than by CPU slots. */
  public boolean hasGpus() {
    return noGpu.isEmpty();
  }

  /**
   * The device of an id.
   *
   * @throws DeviceException naming it and those there are, if there is none
   */
  public Device device(String id) {
    return devices.stream()
        .filter(device -> device.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new DeviceException(
                    "this host has no device '%s'; it has %s".formatted(id, deviceNames())));
  }

  private String deviceNames() {
    return devices.isEmpty()
        ? "none"
        : String.join(", ", devices.stream().map(Device::id).toList());
  }
}
