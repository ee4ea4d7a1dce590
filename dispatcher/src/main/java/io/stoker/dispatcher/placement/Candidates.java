package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.ledger.Avoid;
import io.stoker.dispatcher.placement.Snapshot.Head;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The hosts of a pass, and which of them can serve what. Who can ever serve a job is looked up once
 * for all jobs that ask alike, however many wait.
 */
final class Candidates {
  private final Map<String, Room> rooms = new LinkedHashMap<>();
  private final Map<Asked, List<Room>> able = new HashMap<>();
  private final Map<Shape, Optional<Need>> needs = new HashMap<>();
  private final boolean fleetHasGpu;

  Candidates(List<Host> hosts) {
    hosts.forEach(host -> rooms.put(host.id(), new Room(host)));
    fleetHasGpu = hosts.stream().anyMatch(host -> !host.devices().isEmpty());
  }

  /** All that the hosts see of a job: jobs that ask alike have the same answer. */
  record Asked(Shape shape, Avoid avoid, Set<String> returnedBy, Long expected, boolean ranOut) {
    static Asked of(Head head) {
      Memory memory = head.memory();
      return new Asked(
          head.shape(), head.avoid(), head.returnedBy(), memory.expected(), memory.ranOut());
    }
  }

  List<Room> rooms() {
    return List.copyOf(rooms.values());
  }

  /** Keeps room on a host for a job of which no more is known than that it waits longer. */
  void keep(String host, Need need, String job) {
    Optional.ofNullable(rooms.get(host)).ifPresent(room -> room.keepAll(need, job));
  }

  int usable() {
    return (int) rooms.values().stream().filter(room -> room.host().usable()).count();
  }

  /** What a job takes in this fleet; nothing if no host may give it. */
  Optional<Need> need(Shape shape) {
    return needs.computeIfAbsent(shape, this::needOf);
  }

  private Optional<Need> needOf(Shape shape) {
    if (shape.pool() != null) {
      return Optional.of(new Need(0, 0, shape.pool()));
    }
    if (shape.gpus() == 0) {
      return Optional.of(new Need(0, shape.cpus()));
    }
    if (fleetHasGpu) {
      return Optional.of(new Need(shape.gpus(), 0));
    }
    return shape.cpuFallback() ? Optional.of(new Need(0, shape.gpus())) : Optional.empty();
  }

  /** Why a job without a need is left. */
  Unplaced neverAtAll() {
    return Unplaced.never(
        "no host of the fleet has a GPU, and CPU slots are refused by cpuFallback: false");
  }

  /** The host that takes the job now, if one can. */
  Optional<Room> best(Asked asked, Head head, Need need) {
    return able(asked, head, need).stream()
        .filter(room -> room.notNow(head, need, false).isEmpty())
        .max(Room.best(head, need));
  }

  /** Why none takes it. */
  Unplaced why(Asked asked, Head head, Need need) {
    List<Room> could = able(asked, head, need);
    if (could.isEmpty()) {
      String labels = head.shape().require().isEmpty() ? "" : " with " + head.shape().require();
      return Unplaced.never("no host can ever serve " + need.describe() + labels);
    }
    if (could.stream().noneMatch(room -> room.host().usable())) {
      return Unplaced.hostsAway(could.size());
    }
    return could.stream()
        .filter(
            room -> room.notNow(head, need, false).filter(Obstacle.RESERVED::equals).isPresent())
        .findFirst()
        .map(room -> Unplaced.reserved(room.keptFor().orElseThrow(), need.describe()))
        .orElseGet(() -> Unplaced.noRoom(could.size(), need.describe()));
  }

  /** Whether the job could be served by what is usable now, once that is free. */
  boolean mayKeep(Head head, Need need) {
    return able(Asked.of(head), head, need).stream().anyMatch(room -> room.mayServe(head));
  }

  /**
   * The host to be kept free for a job.
   *
   * @param before the one that was, null if none was
   */
  Optional<Room> toKeep(Head head, Need need, String before) {
    List<Room> free =
        able(Asked.of(head), head, need).stream()
            .filter(room -> room.mayServe(head) && room.keptFor().isEmpty())
            .toList();
    return free.stream()
        .filter(room -> Objects.equals(room.id(), before))
        .findFirst()
        .or(() -> free.stream().max(Room.soonest(need)));
  }

  /** Hosts that can ever serve it; those that failed it only if there is no other. */
  List<Room> able(Asked asked, Head head, Need need) {
    return able.computeIfAbsent(
        asked,
        any -> {
          List<Room> ever =
              rooms.values().stream().filter(room -> room.never(head, need).isEmpty()).toList();
          List<Room> unblemished =
              ever.stream().filter(room -> !head.avoid().hosts().contains(room.id())).toList();
          return unblemished.isEmpty() ? ever : unblemished;
        });
  }
}
