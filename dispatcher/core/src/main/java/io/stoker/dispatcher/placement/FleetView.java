package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.HostMessage.RunnerOffer;
import io.stoker.dispatcher.host.Settling;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.Takes.OnPool;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Makes the snapshot that a pass looks at. Free capacity is derived each time, from open attempts
 * and from what agents report as reserved; it is nowhere counted up and down, so it cannot drift.
 */
public final class FleetView {
  private static final Reserved NOTHING = new Reserved(0, 0);

  private FleetView() {}

  /**
   * The snapshot.
   *
   * @param alive whether a host was heard of within its lease
   * @param heartbeat the last heartbeat of a host
   * @param returnedBy hosts that could not take a shape and have not changed since
   */
  public static Snapshot of(
      List<HostRow> hosts,
      List<AttemptRow> open,
      List<QueueHead> heads,
      Predicate<String> alive,
      Function<String, Optional<Heartbeat>> heartbeat,
      Function<Shape, Set<String>> returnedBy) {
    return new Snapshot(hosts(hosts, open, alive, heartbeat), heads(heads, returnedBy));
  }

  /** The hosts that may ever serve: those that were buried are none. */
  public static List<Host> hosts(
      List<HostRow> hosts,
      List<AttemptRow> open,
      Predicate<String> alive,
      Function<String, Optional<Heartbeat>> heartbeat) {
    List<HostRow> kept = hosts.stream().filter(host -> !host.buried()).toList();
    return all(kept, open, alive, heartbeat);
  }

  /** A host for each of the rows, in their order. */
  public static List<Host> all(
      List<HostRow> hosts,
      List<AttemptRow> open,
      Predicate<String> alive,
      Function<String, Optional<Heartbeat>> heartbeat) {
    Map<String, List<AttemptRow>> byHost =
        open.stream().collect(Collectors.groupingBy(AttemptRow::host));
    Optional<String> waits = Settling.waits(hosts);
    return hosts.stream()
        .map(
            host ->
                host(
                    host,
                    byHost.getOrDefault(host.id(), List.of()),
                    alive.test(host.id()),
                    heartbeat.apply(host.id())))
        .map(host -> waiting(host, waits))
        .toList();
  }

  /** The same, which takes nothing if there is a reason why none does. */
  static Host waiting(Host host, Optional<String> waits) {
    return host.usable() ? waits.map(host::unusable).orElse(host) : host;
  }

  /** Its line, with who could not take what. */
  public static List<QueueHead> heads(
      List<QueueHead> heads, Function<Shape, Set<String>> returnedBy) {
    // Shapes that were read of one text are one.
    Map<Shape, Set<String>> known = new IdentityHashMap<>();
    return heads.stream()
        .map(head -> head(head, known.computeIfAbsent(head.shape(), returnedBy)))
        .toList();
  }

  private static QueueHead head(QueueHead head, Set<String> hosts) {
    return hosts.isEmpty() ? head : head.returnedBy(hosts);
  }

  private static Host host(
      HostRow row, List<AttemptRow> open, boolean alive, Optional<Heartbeat> heartbeat) {
    List<DeviceTelemetry> telemetry = heartbeat.map(Heartbeat::telemetry).orElse(List.of());
    return host(row, open, List.of(), alive, heartbeat, telemetry);
  }

  /**
   * A host by what its agent last reported, but for its devices.
   *
   * @param leaving attempts that will be gone
   */
  static Host host(
      HostRow row,
      List<AttemptRow> open,
      List<AttemptRow> leaving,
      boolean alive,
      Optional<Heartbeat> heartbeat,
      List<DeviceTelemetry> telemetry) {
    Reserved reserved = heartbeat.map(Heartbeat::reserved).orElse(NOTHING);
    GpuCapacity gpus =
        GpuCapacity.of(
            row.resources().devices(), open, telemetry, reserved == null ? 0 : reserved.gpus());
    int slotsTaken = open.stream().mapToInt(one -> one.takes().cpuSlots()).sum();
    return new Host(
        row.id(),
        obstacle(row, alive).orElse(null),
        gpus.whole(),
        row.resources().cpuSlots() - slotsTaken - (reserved == null ? 0 : reserved.cpuSlots()),
        row.resources().cpuSlots(),
        (int)
            open.stream()
                .filter(one -> !one.accepted() && !(one.takes() instanceof OnPool))
                .count(),
        row.resources().labels() == null ? Map.of() : row.resources().labels(),
        new Sharing(
            row.resources().devices(), gpus, row.resources().sharedMemory(), staged(row, open)),
        Host.MOST_PLACEMENTS,
        pools(row, open, heartbeat),
        service(row, open, heartbeat),
        MemoryCapacity.of(row.resources().memory(), heartbeat, open, leaving),
        LookAheadCapacity.NONE);
  }

  /** What it says that it runs, less what was given to it and is not over. */
  private static Service service(
      HostRow row, List<AttemptRow> open, Optional<Heartbeat> heartbeat) {
    HostResources resources = row.resources();
    List<String> users = resources.users() == null ? List.of() : resources.users();
    if (resources.runners() == null) {
      return new Service(Service.PLAIN.free(), Map.of(), users);
    }
    Map<String, Integer> free = new HashMap<>();
    Map<String, NodeMachines> machines = new HashMap<>();
    for (RunnerOffer one : resources.runners()) {
      free.put(one.runner(), one.slots());
      machines.put(one.runner(), NodeMachines.of(one));
    }
    // What it said last, where machines of its come and go.
    heartbeat
        .map(Heartbeat::runners)
        .ifPresent(said -> said.forEach(one -> free.replace(one.runner(), one.slots())));
    for (AttemptRow attempt : open) {
      free.computeIfPresent(attempt.takes().runner(), (type, left) -> left - 1);
    }
    return new Service(free, machines, users);
  }

  /**
   * What its pools hold at most, less what was given to them and is not over. What workers have
   * that make way for others takes no place of these.
   */
  private static Map<String, Integer> pools(
      HostRow row, List<AttemptRow> open, Optional<Heartbeat> heartbeat) {
    if (row.resources().pools() == null) {
      return Map.of();
    }
    Map<String, Integer> free = new HashMap<>();
    row.resources().pools().forEach(pool -> free.put(pool.name(), pool.capacity()));
    Set<AttemptRow.Key> retiring = retiring(heartbeat);
    for (AttemptRow attempt : open) {
      if (attempt.takes() instanceof OnPool task
          && !retiring.contains(new AttemptRow.Key(attempt.job(), attempt.number()))) {
        free.computeIfPresent(task.pool(), (pool, left) -> left - 1);
      }
    }
    return free;
  }

  private static Set<AttemptRow.Key> retiring(Optional<Heartbeat> heartbeat) {
    List<HeldAttempt> held = heartbeat.map(Heartbeat::held).orElse(List.of());
    return held.stream()
        .filter(one -> Boolean.TRUE.equals(one.retiring()))
        .map(one -> new AttemptRow.Key(one.job(), one.attempt()))
        .collect(Collectors.toSet());
  }

  private static int staged(HostRow row, List<AttemptRow> open) {
    Integer most = row.resources().stagedWaiting();
    if (most == null || row.resources().devices().isEmpty()) {
      return 0;
    }
    return Math.max(0, most - (int) open.stream().filter(AttemptRow::waitsForDevice).count());
  }

  private static Optional<String> obstacle(HostRow row, boolean alive) {
    if (row.state() != HostRow.State.UP) {
      return Optional.of("is " + row.state());
    }
    if (row.cordoned()) {
      return Optional.of(row.reason() == null ? "is cordoned" : "is cordoned: " + row.reason());
    }
    if (alive) {
      return Optional.ofNullable(row.resources().refuses())
          .map(why -> "takes nothing new for now: " + why);
    }
    return Optional.of(
        row.outageMs() > 0
            ? "cannot be reached; what runs there runs on"
            : "has not been heard of yet");
  }
}
