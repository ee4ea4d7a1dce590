package io.stoker.agent.device;

import io.stoker.agent.device.Decision.Granted;
import io.stoker.agent.device.Decision.Refused;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Hosts that tests give the devices of, and what they are told. */
final class Hosts {

  static final long GIB = 1L << 30;

  static final long TOTAL = 16 * GIB;

  private Hosts() {}

  static Inventory host(int cpuSlots, String... ids) {
    return ids.length == 0
        ? Inventory.withoutGpu("no driver", cpuSlots)
        : inventory(
            cpuSlots,
            Arrays.stream(ids).map(id -> device(id, DeviceType.GPU)).toArray(Device[]::new));
  }

  static Inventory inventory(int cpuSlots, Device... devices) {
    return new Inventory(List.of(devices), cpuSlots, Optional.empty(), Optional.empty(), List.of());
  }

  static Device device(String id, DeviceType type) {
    return new Device(id, "uuid of " + id, "Fake GPU", TOTAL, type, Optional.empty());
  }

  static String told(Decision decision) {
    return switch (decision) {
      case Refused refused -> refused.refusal().name();
      case Granted(DeviceBooks books, Allocation given) when given.devices().isEmpty() ->
          "slots:" + given.cpuSlots();
      case Granted(DeviceBooks books, Allocation given) -> String.join(",", given.devices());
    };
  }

  static DeviceBooks granted(DeviceBooks books, String holder, Demand demand) {
    return ((Granted) books.allocate(holder, demand)).books();
  }

  static Allocation allocation(Decision decision) {
    return ((Granted) decision).allocation();
  }

  /** The same without a device, which has failed. */
  static DeviceBooks without(DeviceBooks books, String id) {
    return books.judged(Map.of(books.uuid(id), new Condition(Condition.State.UNHEALTHY, "Xid 79")));
  }
}
