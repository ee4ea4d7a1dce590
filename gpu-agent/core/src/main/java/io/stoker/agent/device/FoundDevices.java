package io.stoker.agent.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The devices that NVML shows of a host, and the ones of them that a device list picks.
 *
 * @param gpus by index
 * @param devices that are offered
 * @param faults of what would be offered
 */
record FoundDevices(List<FoundGpu> gpus, List<Device> devices, List<DeviceFault> faults) {
  /** A GPU as it was found. */
  sealed interface FoundGpu {}

  /** A GPU that is used as one device, under its UUID as its id. */
  record Whole(int index, Device device) implements FoundGpu {}

  /** A GPU in MIG mode, which can be used through its parts only. */
  record Cut(int index, String uuid, List<Device> parts) implements FoundGpu {}

  /** A GPU that is there and would not tell what it is. */
  record Unreadable(int index, String reason) implements FoundGpu {}

  static FoundDevices of(List<FoundGpu> gpus) {
    return new FoundDevices(List.copyOf(gpus), List.of(), List.of());
  }

  /** UUIDs of all that can be used, by every id that a list may give them. */
  Map<String, String> ids() {
    Map<String, String> ids = new LinkedHashMap<>();
    for (FoundGpu gpu : gpus) {
      if (gpu instanceof Whole(int index, Device device)) {
        ids.put(Integer.toString(index), device.uuid());
        ids.put(device.uuid(), device.uuid());
      } else if (gpu instanceof Cut(int index, String uuid, List<Device> parts)) {
        parts.forEach(part -> ids.put(part.uuid(), part.uuid()));
      }
    }
    return ids;
  }

  /** Everything there is, in the order of indices. */
  FoundDevices all() {
    List<Device> all = new ArrayList<>();
    List<DeviceFault> broken = new ArrayList<>();
    for (FoundGpu gpu : gpus) {
      switch (gpu) {
        case Whole(int index, Device device) -> all.add(device);
        case Cut(int index, String uuid, List<Device> parts) when parts.isEmpty() ->
            broken.add(new DeviceFault(uuid, "it is in MIG mode and has no MIG device"));
        case Cut(int index, String uuid, List<Device> parts) -> all.addAll(parts);
        case Unreadable(int index, String reason) ->
            broken.add(new DeviceFault("GPU " + index, reason));
      }
    }
    return new FoundDevices(gpus, all, broken);
  }

  /**
   * The devices of a list, in its order and under its ids. A device listed under two ids is a
   * repeat: the first counts.
   */
  FoundDevices select(DeviceList list) {
    Map<String, Device> chosen = new LinkedHashMap<>();
    List<DeviceFault> broken = new ArrayList<>();
    for (DeviceId id : list.ids()) {
      Optional<Device> device = resolve(id, broken);
      device.ifPresent(d -> chosen.putIfAbsent(d.uuid(), under(id, d)));
    }
    return new FoundDevices(gpus, List.copyOf(chosen.values()), broken);
  }

  private Optional<Device> resolve(DeviceId id, List<DeviceFault> broken) {
    for (FoundGpu gpu : gpus) {
      switch (gpu) {
        case Whole(int index, Device device) when isIndex(id, index) || names(id, device) -> {
          return Optional.of(device);
        }
        case Cut cut when isIndex(id, cut.index()) || sameUuid(id.text(), cut.uuid()) ->
            throw inMigMode(id, cut);
        case Cut cut when cut.parts().stream().anyMatch(part -> names(id, part)) -> {
          return cut.parts().stream().filter(part -> names(id, part)).findFirst();
        }
        case Unreadable(int index, String reason) when isIndex(id, index) -> {
          broken.add(new DeviceFault(id.text(), reason));
          return Optional.empty();
        }
        default -> {}
      }
    }
    broken.add(new DeviceFault(id.text(), whyMissing(id)));
    return Optional.empty();
  }

  /** A UUID may be that of a GPU which cannot be read; otherwise the host does not have it. */
  private String whyMissing(DeviceId id) {
    boolean mayBeUnreadable =
        !(id instanceof DeviceId.Index) && gpus.stream().anyMatch(Unreadable.class::isInstance);
    if (mayBeUnreadable) {
      return "it was not found, while not every GPU could be read";
    }
    List<String> known = new ArrayList<>();
    for (FoundGpu gpu : gpus) {
      switch (gpu) {
        case Whole(int index, Device device) -> known.add(index + " (" + device.uuid() + ")");
        case Cut(int index, String uuid, List<Device> parts) ->
            parts.forEach(part -> known.add(part.uuid()));
        case Unreadable(int index, String reason) -> known.add(index + " (cannot be read)");
      }
    }
    throw new DeviceException(
        "the device list names '%s', which this host does not have; it has %s"
            .formatted(id.text(), String.join(", ", known)));
  }

  private static DeviceException inMigMode(DeviceId id, Cut cut) {
    return new DeviceException(
        "the device list names '%s', a GPU in MIG mode; name its MIG devices instead: %s"
            .formatted(
                id.text(), String.join(", ", cut.parts().stream().map(Device::uuid).toList())));
  }

  private static boolean isIndex(DeviceId id, int index) {
    return id instanceof DeviceId.Index given && given.value() == index;
  }

  private static boolean names(DeviceId id, Device device) {
    return sameUuid(id.text(), device.uuid());
  }

  /** Hexadecimal digits have no case. */
  private static boolean sameUuid(String given, String uuid) {
    return given.equalsIgnoreCase(uuid);
  }

  private static Device under(DeviceId id, Device device) {
    return new Device(
        id.text(),
        device.uuid(),
        device.name(),
        device.memoryTotal(),
        device.type(),
        device.computeCapability());
  }
}
