package io.stoker.agent.device;

import io.stoker.agent.gpu.NvmlVersions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The devices and slots of a host.
 *
 * @param devices in the order in which they are given out
 * @param cpuSlots CPU jobs at once, 0 or more
 * @param versions of the driver, if there is one
 * @param noGpu why this host offers no GPU; empty for a host with GPUs, even if none can be used
 *     now
 * @param faults GPUs that are there and cannot be used
 * @param links how the devices reach each other
 * @param present UUIDs of all devices that are there, offered or not, by every id that a list may
 *     give them
 * @param cpus the processors that are nearest to each offered device, by its UUID, where that is
 *     known
 */
public record Inventory(
    List<Device> devices,
    int cpuSlots,
    Optional<NvmlVersions> versions,
    Optional<String> noGpu,
    List<DeviceFault> faults,
    DeviceLinks links,
    Map<String, String> present,
    Map<String, CpuSet> cpus) {
  public Inventory {
    present = Map.copyOf(present);
    cpus = Map.copyOf(cpus);
    devices = List.copyOf(devices);
    faults = List.copyOf(faults);
    if (cpuSlots < 0) {
      throw new DeviceException("cpu-slots is %d; expected 0 or more".formatted(cpuSlots));
    }
    if (noGpu.isPresent() && !(devices.isEmpty() && faults.isEmpty())) {
      throw new DeviceException("a host without GPU has no devices: " + devices + faults);
    }
  }

  /** A host that offers all its devices, of which nobody knows how they reach each other. */
  public Inventory(
      List<Device> devices,
      int cpuSlots,
      Optional<NvmlVersions> versions,
      Optional<String> noGpu,
      List<DeviceFault> faults) {
    this(devices, cpuSlots, versions, noGpu, faults, DeviceLinks.UNKNOWN, Map.of(), Map.of());
  }

  /** A host without GPU, for a reason. */
  public static Inventory withoutGpu(String reason, int cpuSlots) {
    return new Inventory(List.of(), cpuSlots, Optional.empty(), Optional.of(reason), List.of());
  }

  /** The same host without its GPUs, for a reason; what is known of their names stays known. */
  public Inventory without(String reason) {
    return new Inventory(
        List.of(),
        cpuSlots,
        Optional.empty(),
        Optional.of(reason),
        List.of(),
        DeviceLinks.UNKNOWN,
        present,
        Map.of());
  }

  /** Whether GPU requests are served by GPUs here, now or later, rather than by CPU slots. */
  public boolean hasGpus() {
    return noGpu.isEmpty();
  }

  /** Whether all was seen that is there: if not, a device may be there that is not in it. */
  boolean isWhole() {
    return hasGpus() && faults.isEmpty();
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

  /** The processors that are nearest to one of these devices; none if that of one is not known. */
  public CpuSet near(List<String> ids) {
    List<CpuSet> known =
        ids.stream()
            .filter(this::has)
            .map(id -> cpus.get(device(id).uuid()))
            .filter(Objects::nonNull)
            .toList();
    return known.size() < ids.size() ? CpuSet.NONE : CpuSet.union(known);
  }

  /** Whether a device of this id is offered. */
  public boolean has(String id) {
    return devices.stream().anyMatch(device -> device.id().equals(id));
  }

  /** The id of a device that is named by it or, as {@code cuda:N}, by its place, from 0. */
  public String idOf(String named) {
    for (int n = 0; n < devices.size(); n++) {
      if (named.equals("cuda:" + n)) {
        return devices.get(n).id();
      }
    }
    return named;
  }

  /** Bytes of the device that has most; 0 if there is none. */
  public long largestMemory() {
    return devices.stream().mapToLong(Device::memoryTotal).max().orElse(0);
  }

  /** The devices by their ids, or why there are none. */
  public String sentence() {
    return noGpu.map(why -> "no GPU: " + why).orElseGet(() -> "devices " + deviceNames());
  }

  private String deviceNames() {
    return devices.isEmpty()
        ? "none"
        : String.join(", ", devices.stream().map(Device::id).toList());
  }
}
