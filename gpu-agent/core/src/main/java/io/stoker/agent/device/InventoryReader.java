package io.stoker.agent.device;

import io.stoker.agent.gpu.ComputeCapability;
import io.stoker.agent.gpu.GpuIdentity;
import io.stoker.agent.gpu.MigDevice;
import io.stoker.agent.gpu.MigMode;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.NvmlException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds out what a host has to give. A GPU that cannot be read is a fault of the inventory, never a
 * missing device, and does not hide the others.
 *
 * @param wanted the devices to offer; empty = all there are, under their UUIDs
 * @param cpuSlots CPU jobs at once, 0 or more
 */
public record InventoryReader(Optional<DeviceList> wanted, int cpuSlots) {
  /**
   * The inventory of a host whose NVML is ready.
   *
   * @throws DeviceException if the list names a device that the host does not have, or a GPU that
   *     is cut into MIG devices
   * @throws NvmlException if NVML as a whole cannot be asked
   */
  public Inventory read(NvmlApi nvml) {
    FoundDevices found = find(nvml);
    if (wanted.map(list -> list.ids().isEmpty()).orElse(false)) {
      return new Inventory(
          List.of(),
          cpuSlots,
          Optional.empty(),
          Optional.of("The device list of this host names no device"),
          List.of(),
          DeviceLinks.UNKNOWN,
          found.ids(),
          Map.of());
    }
    FoundDevices offered = wanted.map(found::select).orElseGet(found::all);
    return new Inventory(
        offered.devices(),
        cpuSlots,
        Optional.of(nvml.versions()),
        Optional.empty(),
        offered.faults(),
        new LinksReader(nvml).read(offered.devices()),
        found.ids(),
        cpus(nvml, offered.devices()));
  }

  /** What is not told of a device is left out. */
  private static Map<String, CpuSet> cpus(NvmlApi nvml, List<Device> devices) {
    Map<String, CpuSet> cpus = new HashMap<>();
    for (Device device : devices) {
      try {
        nvml.cpuAffinity(device.uuid()).ifPresent(mask -> cpus.put(device.uuid(), CpuSet.of(mask)));
      } catch (NvmlException e) {
        cpus.remove(device.uuid());
      }
    }
    return cpus;
  }

  /**
   * The inventory of a host without GPU.
   *
   * @throws DeviceException if the list names a device all the same
   */
  public Inventory withoutGpu(String reason) {
    if (wanted.map(list -> !list.ids().isEmpty()).orElse(false)) {
      throw new DeviceException(
          "the device list names %s, and this host has no GPU: %s".formatted(wanted.get(), reason));
    }
    return Inventory.withoutGpu(reason, cpuSlots);
  }

  private static FoundDevices find(NvmlApi nvml) {
    int count = nvml.count();
    List<FoundDevices.FoundGpu> gpus = new ArrayList<>(count);
    for (int index = 0; index < count; index++) {
      try {
        gpus.add(gpu(nvml, nvml.uuid(index), index));
      } catch (NvmlException e) {
        gpus.add(new FoundDevices.Unreadable(index, e.getMessage()));
      }
    }
    return FoundDevices.of(gpus);
  }

  private static FoundDevices.FoundGpu gpu(NvmlApi nvml, String uuid, int index) {
    GpuIdentity identity = nvml.identity(uuid);
    Optional<String> capability = identity.computeCapability().map(ComputeCapability::toString);
    if (nvml.migMode(uuid).map(MigMode::current).orElse(false)) {
      List<Device> parts = new ArrayList<>();
      for (MigDevice mig : nvml.migDevices(uuid)) {
        parts.add(device(nvml, mig.uuid(), mig.name(), DeviceType.MIG, capability));
      }
      return new FoundDevices.Cut(index, uuid, parts);
    }
    return new FoundDevices.Whole(
        index, device(nvml, uuid, identity.name(), DeviceType.GPU, capability));
  }

  private static Device device(
      NvmlApi nvml, String uuid, String name, DeviceType type, Optional<String> capability) {
    return new Device(uuid, uuid, name, nvml.memory(uuid).total(), type, capability);
  }
}
