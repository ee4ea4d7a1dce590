package io.stoker.agent.device;

import io.stoker.agent.device.Decision.Granted;
import io.stoker.agent.device.Decision.Refused;
import io.stoker.agent.policy.DevicePolicy;
import io.stoker.agent.policy.DeviceView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The allocations of a host: who holds which devices, slots and memory. Immutable: every change
 * gives a new ledger.
 *
 * <p>Invariants: a device that is held exclusively has one holder; slots given never exceed those
 * there are; memory is promised only out of what is free and not yet promised.
 */
public final class DeviceLedger {
  private final Inventory inventory;
  private final Map<String, Allocation> allocations;
  private final Map<String, DeviceReading> readings;
  private final Map<String, String> quarantined;

  /** Of every id that was ever offered: what is held under an old one is held all the same. */
  private final Map<String, String> uuids;

  private DeviceLedger(
      Inventory inventory,
      Map<String, String> uuids,
      Map<String, Allocation> allocations,
      Map<String, DeviceReading> readings,
      Map<String, String> quarantined) {
    this.inventory = inventory;
    this.uuids = uuids;
    this.allocations = allocations;
    this.readings = readings;
    this.quarantined = quarantined;
  }

  /** Books of a host on which nothing is held. */
  public static DeviceLedger of(Inventory inventory) {
    return new DeviceLedger(inventory, uuids(Map.of(), inventory), Map.of(), Map.of(), Map.of());
  }

  /**
   * The same ledger of a host that has other devices now. What is held stays held until it is
   * released, under whatever id, and whether it is still offered or not.
   */
  public DeviceLedger offering(Inventory now) {
    return new DeviceLedger(now, uuids(uuids, now), allocations, readings, quarantined);
  }

  private static Map<String, String> uuids(Map<String, String> known, Inventory inventory) {
    Map<String, String> all = new LinkedHashMap<>(known);
    all.putAll(inventory.present());
    inventory.devices().forEach(device -> all.put(device.id(), device.uuid()));
    return all;
  }

  /**
   * Decides on a demand: of the devices that will do, those that the policy prefers.
   *
   * @param nowMs CLOCK_BOOTTIME, for the policy
   * @throws DeviceException if the holder has an allocation already
   */
  public Decision allocate(String holder, Demand demand, DevicePolicy policy, long nowMs) {
    requireNew(holder);
    return switch (new DeviceChooser(this, policy, nowMs).choose(holder, demand)) {
      case DeviceChooser.Chosen(Allocation allocation) -> new Granted(with(allocation), allocation);
      case DeviceChooser.None(Refused refused) -> refused;
    };
  }

  /**
   * Enters what is held already, as found after a restart. It is not weighed again: its processes
   * are running. A device that may be there unseen is held under the id it was given by, and is
   * found again by {@link #offering}.
   *
   * @throws DeviceException if a device is another's or certainly not there, or the slots are taken
   */
  public DeviceLedger adopt(Allocation found) {
    requireNew(found.holder());
    for (String id : found.devices()) {
      if (!knows(id) && inventory.isWhole()) {
        inventory.device(id); // tells what there is
      }
      List<Allocation> holders = holdersOf(id);
      if (!holders.isEmpty()
          && (found.exclusive() || holders.stream().anyMatch(Allocation::exclusive))) {
        throw new DeviceException(
            "device '%s' is held by %s and cannot also be held by %s"
                .formatted(id, names(holders), found.holder()));
      }
    }
    if (found.cpuSlots() > freeCpuSlots()) {
      throw new DeviceException(
          "%s holds %d CPU slots, and %d of %d are free"
              .formatted(found.holder(), found.cpuSlots(), freeCpuSlots(), inventory.cpuSlots()));
    }
    return with(found);
  }

  /** Enters again what a holder has just released, since it is not clean yet. */
  public DeviceLedger keep(Allocation unclean) {
    requireNew(unclean.holder());
    return with(unclean);
  }

  /**
   * Takes back everything of a holder.
   *
   * @throws DeviceException if it holds nothing
   */
  public DeviceLedger release(String holder) {
    Map<String, Allocation> left = new LinkedHashMap<>(allocations);
    if (left.remove(holder) == null) {
      throw new DeviceException(
          "nothing is allocated to %s, so nothing can be released".formatted(holder));
    }
    return withAllocations(left);
  }

  /** Takes note of a device's memory. */
  public DeviceLedger observe(String device, DeviceReading reading) {
    Map<String, DeviceReading> seen = new LinkedHashMap<>(readings);
    seen.put(inventory.device(device).uuid(), reading);
    return new DeviceLedger(inventory, uuids, allocations, seen, quarantined);
  }

  /**
   * Gives those devices to nobody that do not serve, by their UUIDs, and all others again. Who
   * holds one keeps it.
   */
  public DeviceLedger judged(Map<String, Condition> bad) {
    Map<String, String> out = new LinkedHashMap<>();
    bad.forEach(
        (uuid, condition) -> {
          if (!condition.serves()) {
            out.put(uuid, condition.reason());
          }
        });
    return new DeviceLedger(inventory, uuids, allocations, readings, out);
  }

  /** GPUs that nobody holds. */
  public int freeGpus() {
    return (int) inventory.devices().stream().filter(device -> isFree(device.id())).count();
  }

  public int freeCpuSlots() {
    return inventory.cpuSlots()
        - allocations.values().stream().mapToInt(Allocation::cpuSlots).sum();
  }

  /**
   * Bytes of a device that can still be promised: what is free, less what has been promised and is
   * not in use yet. Empty if the device was never observed. May be negative when others took
   * memory.
   */
  public OptionalLong headroom(String device) {
    DeviceReading reading = readings.get(inventory.device(device).uuid());
    if (reading == null) {
      return OptionalLong.empty();
    }
    long pending =
        holdersOf(device).stream()
            .mapToLong(held -> Math.max(0, held.memory().orElse(0) - reading.usedBy(held.holder())))
            .sum();
    return OptionalLong.of(reading.free() - pending);
  }

  public Inventory inventory() {
    return inventory;
  }

  /** What is held, in the order of granting. */
  public List<Allocation> allocations() {
    return List.copyOf(allocations.values());
  }

  /** Who holds a device, in the order of granting. */
  public List<Allocation> holdersOf(String device) {
    String uuid = uuid(device);
    return allocations.values().stream()
        .filter(held -> held.devices().stream().anyMatch(id -> uuid(id).equals(uuid)))
        .toList();
  }

  /** The devices out of service by their ids, each with its reason. */
  public Map<String, String> quarantined() {
    Map<String, String> byId = new LinkedHashMap<>();
    for (Device device : inventory.devices()) {
      String reason = quarantined.get(device.uuid());
      if (reason != null) {
        byId.put(device.id(), reason);
      }
    }
    return byId;
  }

  boolean isUsable(String device) {
    return !quarantined.containsKey(uuid(device));
  }

  /** Whether a device was ever seen under an id. */
  public boolean knows(String id) {
    return uuids.containsKey(id);
  }

  /** The UUID of a device by any id that it was ever offered under; unknown ids name themselves. */
  public String uuid(String id) {
    return uuids.getOrDefault(id, id);
  }

  /** A device for a policy. One that was never measured is as free as it is large. */
  DeviceView view(Device device) {
    DeviceReading reading = readings.get(device.uuid());
    return new DeviceView(
        device.id(),
        device.memoryTotal(),
        headroom(device.id()).orElse(device.memoryTotal()),
        holdersOf(device.id()).size(),
        reading == null ? Map.of() : reading.usedByHolder());
  }

  boolean isFree(String device) {
    return isUsable(device) && holdersOf(device).isEmpty();
  }

  private void requireNew(String holder) {
    Allocation held = allocations.get(holder);
    if (held != null) {
      throw new DeviceException("%s already holds %s".formatted(holder, held));
    }
  }

  private DeviceLedger with(Allocation allocation) {
    Map<String, Allocation> more = new LinkedHashMap<>(allocations);
    more.put(allocation.holder(), allocation);
    return withAllocations(more);
  }

  private DeviceLedger withAllocations(Map<String, Allocation> changed) {
    return new DeviceLedger(inventory, uuids, changed, readings, quarantined);
  }

  private static String names(List<Allocation> holders) {
    return String.join(", ", holders.stream().map(Allocation::holder).toList());
  }
}
