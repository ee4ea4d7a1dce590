package io.stoker.agent.device;

import io.stoker.agent.gpu.NvLink;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.gpu.PciAddress;
import io.stoker.agent.gpu.TopologyLevel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds out how a host's GPUs reach each other. */
final class LinksReader {
  private static final int PER_NVLINK = 100;
  private static final int ON_ONE_BOARD = 60;
  private static final int PER_STEP = 10;

  private final NvmlApi nvml;
  private final Map<String, Optional<PciAddress>> addresses = new HashMap<>();
  private final Map<String, List<NvLink>> links = new HashMap<>();

  LinksReader(NvmlApi nvml) {
    this.nvml = nvml;
  }

  /** What cannot be asked counts as unknown: it makes a set worse, never impossible. */
  DeviceLinks read(List<Device> devices) {
    List<Device> gpus = devices.stream().filter(device -> device.type() == DeviceType.GPU).toList();
    gpus.forEach(this::find);
    Map<String, Map<String, Integer>> scores = new HashMap<>();
    for (Device first : gpus) {
      for (Device second : gpus) {
        if (!first.uuid().equals(second.uuid())) {
          scores
              .computeIfAbsent(first.uuid(), uuid -> new HashMap<>())
              .put(second.uuid(), score(first.uuid(), second.uuid()));
        }
      }
    }
    return new DeviceLinks(scores);
  }

  private int score(String first, String second) {
    try {
      return PER_NVLINK * nvLinks(first, second)
          + nvml.topologyBetween(first, second).map(LinksReader::place).orElse(0);
    } catch (NvmlException e) {
      return 0;
    }
  }

  private static int place(TopologyLevel level) {
    return ON_ONE_BOARD - PER_STEP * level.ordinal();
  }

  /** Links that go to a switch reach every GPU that has such links, too. */
  private int nvLinks(String first, String second) {
    return to(first, second) + Math.min(toSwitches(first), toSwitches(second));
  }

  private int to(String first, String second) {
    Optional<PciAddress> there = addresses.getOrDefault(second, Optional.empty());
    return (int)
        links.get(first).stream()
            .filter(link -> there.isPresent() && same(link.remote(), there.get()))
            .count();
  }

  private int toSwitches(String uuid) {
    return (int)
        links.get(uuid).stream()
            .filter(
                link ->
                    addresses.values().stream()
                        .flatMap(Optional::stream)
                        .noneMatch(gpu -> same(link.remote(), gpu)))
            .count();
  }

  private static boolean same(PciAddress one, PciAddress other) {
    return one.domain() == other.domain()
        && one.bus() == other.bus()
        && one.device() == other.device();
  }

  /** Addresses of all first: whose is none of them is a switch's. */
  private void find(Device gpu) {
    try {
      addresses.put(gpu.uuid(), nvml.identity(gpu.uuid()).pci());
      links.put(gpu.uuid(), nvml.nvLinks(gpu.uuid()));
    } catch (NvmlException e) {
      links.put(gpu.uuid(), List.of());
    }
  }
}
