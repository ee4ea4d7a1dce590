package io.stoker.agent.device;

import io.stoker.agent.device.Decision.Granted;
import io.stoker.agent.device.Decision.Refused;
import io.stoker.agent.policy.FirstFitPolicy;
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
      case Granted(DeviceLedger ledger, Allocation given) when given.devices().isEmpty() ->
          "slots:" + given.cpuSlots();
      case Granted(DeviceLedger ledger, Allocation given) -> String.join(",", given.devices());
    };
  }

  static DeviceLedger granted(DeviceLedger ledger, String holder, Demand demand) {
    return ((Granted) decide(ledger, holder, demand)).ledger();
  }

  /** By the first devices in order that will do. */
  static Decision decide(DeviceLedger ledger, String holder, Demand demand) {
    return ledger.allocate(holder, demand, new FirstFitPolicy(), 0);
  }

  static Allocation allocation(Decision decision) {
    return ((Granted) decision).allocation();
  }

  /** The same without a device, which has failed. */
  static DeviceLedger without(DeviceLedger ledger, String id) {
    return ledger.judged(
        Map.of(ledger.uuid(id), new Condition(Condition.State.UNHEALTHY, "Xid 79")));
  }
}
