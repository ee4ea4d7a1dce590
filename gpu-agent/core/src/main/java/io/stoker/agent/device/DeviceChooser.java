package io.stoker.agent.device;

import io.stoker.agent.device.Decision.Refusal;
import io.stoker.agent.device.Decision.Refused;
import io.stoker.agent.policy.DevicePolicy;
import io.stoker.agent.policy.DeviceView;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Weighs a demand against the ledger. Changes nothing. */
final class DeviceChooser {
  /** What comes of it. */
  sealed interface Choice {}

  record Chosen(Allocation allocation) implements Choice {}

  record None(Refused refused) implements Choice {}

  private final DeviceLedger ledger;
  private final Inventory inventory;

  private final DevicePolicy policy;
  private final long nowMs;

  DeviceChooser(DeviceLedger ledger, DevicePolicy policy, long nowMs) {
    this.ledger = ledger;
    this.inventory = ledger.inventory();
    this.policy = policy;
    this.nowMs = nowMs;
  }

  Choice choose(String holder, Demand demand) {
    return switch (demand) {
      case Demand.Cpu(int slots) -> slots(holder, slots);
      case Demand.Gpu gpu when inventory.hasGpus() -> devices(holder, gpu);
      case Demand.Gpu gpu when gpu.device().isPresent() -> noSuchDevice(gpu);
      case Demand.Gpu gpu when gpu.cpuFallback() -> slots(holder, gpu.gpus());
      case Demand.Gpu gpu ->
          none(
              Refusal.NO_GPU,
              "%s asked for, with no CPU fallback, and this host has no GPU: %s"
                  .formatted(count(gpu.gpus(), "GPU"), inventory.noGpu().orElseThrow()));
    };
  }

  private Choice slots(String holder, int slots) {
    int free = ledger.freeCpuSlots();
    if (slots <= free) {
      return new Chosen(Allocation.ofSlots(holder, slots));
    }
    return slots > inventory.cpuSlots()
        ? none(
            Refusal.NEVER_FITS,
            "%s asked for, and this host has %d"
                .formatted(count(slots, "CPU slot"), inventory.cpuSlots()))
        : none(
            Refusal.NOT_NOW,
            "%s asked for, and %d of %d free"
                .formatted(count(slots, "CPU slot"), free, inventory.cpuSlots()));
  }

  private Choice devices(String holder, Demand.Gpu asked) {
    policy.observe(views(inventory.devices().stream().filter(this::isUsable)), nowMs);
    Demand.Gpu demand = asked.assuming(policy.assumed(inventory.largestMemory()));
    List<Device> all = inventory.devices().stream().filter(d -> couldServe(d, demand)).toList();
    if (all.size() < demand.gpus()) {
      return neverFits(demand, all.size());
    }
    List<Device> able = unavoided(all, demand);
    List<Device> now = able.stream().filter(device -> servesNow(device.id(), demand)).toList();
    if (now.size() < demand.gpus()) {
      return none(
          Refusal.NOT_NOW,
          "%s asked for, and %d of %d can serve now: %s"
              .formatted(asked(demand), now.size(), able.size(), situation(able)));
    }
    List<Device> ranked = ranked(now, demand.exclusive());
    if (ranked.size() < demand.gpus()) {
      return new None(
          new Refused(
              Refusal.NOT_NOW,
              "%s asked for, and the policy grants %d of %d that could serve now: %s"
                  .formatted(asked(demand), ranked.size(), now.size(), situation(now)),
              enoughFrom(now, ranked, demand.gpus())));
    }
    List<String> chosen =
        inventory.links().best(ranked, demand.gpus()).stream().map(Device::id).toList();
    return new Chosen(new Allocation(holder, chosen, demand.exclusive(), demand.memory(), 0));
  }

  /** Those that it need not avoid, if they could ever be enough. */
  private List<Device> unavoided(List<Device> able, Demand.Gpu demand) {
    Set<String> avoided = demand.avoid().stream().map(ledger::uuid).collect(Collectors.toSet());
    List<Device> others =
        able.stream()
            .filter(device -> isUsable(device) && !avoided.contains(device.uuid()))
            .toList();
    return others.size() < demand.gpus() ? able : others;
  }

  /** Best first. Who has the device alone is not kept waiting by a policy for sharing. */
  private List<Device> ranked(List<Device> now, boolean exclusive) {
    List<Device> ranked =
        new ArrayList<>(
            policy.rank(views(now.stream()), nowMs).stream()
                .map(view -> inventory.device(view.id()))
                .toList());
    // A policy that somebody wrote may say anything; a device that cannot serve is not given.
    ranked.retainAll(now);
    if (exclusive) {
      now.stream().filter(device -> !ranked.contains(device)).forEach(ranked::add);
    }
    return ranked.stream().distinct().toList();
  }

  /** When the policy grants so many, if what could serve now still can. */
  private OptionalLong enoughFrom(List<Device> now, List<Device> ranked, int gpus) {
    return now.stream()
        .map(
            device ->
                ranked.contains(device)
                    ? OptionalLong.of(nowMs)
                    : policy.withheldUntil(ledger.view(device), nowMs))
        .flatMapToLong(OptionalLong::stream)
        .sorted()
        .skip(gpus - 1)
        .findFirst();
  }

  private List<DeviceView> views(Stream<Device> devices) {
    return devices.map(ledger::view).toList();
  }

  private boolean isUsable(Device device) {
    return ledger.isUsable(device.id());
  }

  /** Whether the device, were nothing else on it, would do. A process uses one MIG device only. */
  private static boolean couldServe(Device device, Demand.Gpu demand) {
    return demand.device().map(device.id()::equals).orElse(true)
        && (demand.gpus() == 1 || device.type() == DeviceType.GPU)
        && demand.memory().orElse(0) <= device.memoryTotal();
  }

  private boolean servesNow(String device, Demand.Gpu demand) {
    OptionalLong headroom = ledger.headroom(device);
    if (demand.exclusive()) {
      // Without a reading the device is taken for empty: nobody holds it.
      return ledger.isFree(device)
          && (headroom.isEmpty() || demand.memory().orElse(0) <= headroom.getAsLong());
    }
    return ledger.isUsable(device)
        && ledger.holdersOf(device).stream().noneMatch(Allocation::exclusive)
        && headroom.isPresent()
        && demand.memory().getAsLong() <= headroom.getAsLong();
  }

  private Choice neverFits(Demand.Gpu demand, int able) {
    if (demand.device().isPresent() && able == 0) {
      boolean known =
          inventory.devices().stream().anyMatch(d -> d.id().equals(demand.device().get()));
      if (!known) {
        return noSuchDevice(demand);
      }
    }
    return none(
        inventory.faults().isEmpty() ? Refusal.NEVER_FITS : Refusal.NOT_NOW,
        "%s asked for, and %d of this host's %s could serve%s"
            .formatted(asked(demand), able, count(inventory.devices().size(), "device"), faults()));
  }

  private Choice noSuchDevice(Demand.Gpu demand) {
    String id = demand.device().orElseThrow();
    return none(
        inventory.faults().isEmpty() ? Refusal.NEVER_FITS : Refusal.NOT_NOW,
        "device '%s' asked for, which this host does not offer; it has %s%s"
            .formatted(
                id,
                inventory.devices().isEmpty()
                    ? "none"
                    : String.join(", ", inventory.devices().stream().map(Device::id).toList()),
                faults()));
  }

  /** Devices that cannot be used now may come back. */
  private String faults() {
    return inventory.faults().stream()
        .map(fault -> "; %s is out of use: %s".formatted(fault.device(), fault.reason()))
        .collect(Collectors.joining());
  }

  private String situation(List<Device> devices) {
    return devices.stream().map(this::situation).collect(Collectors.joining(", "));
  }

  private String situation(Device device) {
    String id = device.id();
    if (!ledger.isUsable(id)) {
      return "%s out of use (%s)".formatted(id, ledger.quarantined().get(id));
    }
    List<Allocation> holders = ledger.holdersOf(id);
    String held =
        holders.isEmpty()
            ? "free"
            : "held by "
                + holders.stream().map(Allocation::holder).collect(Collectors.joining(" and "));
    OptionalLong headroom = ledger.headroom(id);
    String memory =
        headroom.isPresent()
            ? "%d bytes to give".formatted(headroom.getAsLong())
            : "memory not yet read";
    return "%s %s, %s".formatted(id, held, memory);
  }

  private static String asked(Demand.Gpu demand) {
    return count(demand.gpus(), "GPU")
        + (demand.exclusive() ? "" : " to share")
        + (demand.memory().isPresent()
            ? " with %d bytes".formatted(demand.memory().getAsLong())
            : "")
        + demand.device().map(id -> " on device '" + id + "'").orElse("")
        + (demand.avoid().isEmpty() ? "" : " on others than " + demand.avoid());
  }

  private static String count(int n, String thing) {
    return n == 1 ? "1 " + thing : n + " " + thing + "s";
  }

  private static Choice none(Refusal refusal, String sentence) {
    return new None(new Refused(refusal, sentence));
  }
}
