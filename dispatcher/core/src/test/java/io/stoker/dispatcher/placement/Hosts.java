package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.List;
import java.util.Map;

/** Hosts that nothing is held against, which run plain processes. */
public final class Hosts {
  private Hosts() {}

  /**
   * A host.
   *
   * @param why it is not usable; null if it is
   */
  static Host host(
      String id,
      String why,
      int freeSlots,
      int cpuSlots,
      Map<String, String> labels,
      Sharing sharing,
      Map<String, Integer> pools) {
    return new Host(
        id,
        why,
        sharing.capacity().whole(),
        freeSlots,
        cpuSlots,
        0,
        labels,
        sharing,
        Host.MOST_PLACEMENTS,
        pools,
        Service.PLAIN,
        MemoryCapacity.UNKNOWN,
        LookAheadCapacity.NONE);
  }

  /** A host without CPU slots, of whose GPUs none is shared. */
  public static Host unshared(
      String id, String why, List<DeviceInfo> devices, int freeGpus, Map<String, String> labels) {
    GpuCapacity room = GpuCapacity.of(devices, List.of(), List.of(), devices.size() - freeGpus);
    return host(id, why, 0, 0, labels, new Sharing(devices, room, null, 0), Map.of());
  }
}
