package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
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

  /** Shapes that were read of one text are one: what is the same need not be compared in full. */
  private final Map<Shape, Optional<Need>> needs = new IdentityHashMap<>();

  private final long smallestMemory;
  private final boolean fleetHasGpu;
  private final Ties ties;

  Candidates(List<Host> hosts, Ties ties) {
    this.ties = ties;
    hosts.forEach(host -> rooms.put(host.id(), new Room(host)));
    smallestMemory =
        rooms.values().stream()
            .flatMap(room -> room.memory().total().stream())
            .min(Comparator.naturalOrder())
            .orElse(Long.MAX_VALUE);
    fleetHasGpu = hosts.stream().anyMatch(host -> !host.devices().isEmpty());
  }

  List<Room> rooms() {
    return List.copyOf(rooms.values());
  }

  /**
   * Keeps room on the hosts of a claim: as much as is made for it, or, of a job of which no more is
   * known than that it waits longer, all that another one needs.
   */
  void keep(Claim claim, Need need) {
    for (String host : claim.hosts()) {
      Room room = rooms.get(host);
      if (room != null && claim.isMade()) {
        room.keep(claim.madeSoFar(host), claim.job());
      } else if (room != null) {
        room.keepAll(need, claim.job());
      }
    }
  }

  /** Keeps what is made for a job. */
  void keepMade(Claim claim) {
    keep(claim, claim.made());
  }

  /** Keeps nothing more for a job. */
  void release(Claim claim) {
    claim.hosts().stream()
        .map(rooms::get)
        .filter(Objects::nonNull)
        .forEach(room -> room.release(claim.job()));
  }

  /** The hosts of a claim. */
  List<Room> of(Claim claim) {
    return claim.hosts().stream().map(rooms::get).filter(Objects::nonNull).toList();
  }

  int usable() {
    return (int) rooms.values().stream().filter(room -> room.host().usable()).count();
  }

  /** What a job takes in this fleet; nothing if no host may give it. */
  Optional<Need> need(Head head) {
    return needs
        .computeIfAbsent(head.shape(), this::needOf)
        .map(need -> need.with(head.hostMemory()));
  }

  private Optional<Need> needOf(Shape shape) {
    if (shape.pool() != null) {
      return Optional.of(Need.inPool(shape.pool()));
    }
    return taken(shape).map(need -> need.by(shape.runner(), shape.nodeGpus()));
  }

  private Optional<Need> taken(Shape shape) {
    if (shape.elsewhere()) {
      return Optional.of(new Need(0, 0));
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

  /** The hosts that take the job now, all that it needs at once or none. */
  List<Room> best(Asked asked, Head head, Need need) {
    Comparator<Room> order = RoomOrder.best(head, need, ties);
    int members = head.shape().members();
    if (members == 1) {
      Room best = null;
      for (Room room : able(asked, head, need)) {
        if (room.takes(head, need) && (best == null || order.compare(room, best) > 0)) {
          best = room;
        }
      }
      return best == null ? List.of() : List.of(best);
    }
    List<Room> best =
        able(asked, head, need).stream()
            .filter(room -> room.takes(head, need))
            .sorted(blemished(head).thenComparing(order.reversed()))
            .limit(members)
            .toList();
    return best.size() < members ? List.of() : best;
  }

  /** Where too few are left without those that failed the job, some of them are taken, no more. */
  private static Comparator<Room> blemished(Head head) {
    return Comparator.comparing(room -> head.avoid().hosts().contains(room.id()));
  }

  /** The host that holds the job behind its CPU slots, of those the one where it starts first. */
  Optional<Room> ahead(Asked asked, Head head, Need need, Set<String> butOn) {
    Comparator<Room> order =
        Comparator.comparingLong(Room::aheadMs).thenComparing(ties.of(head.job()));
    return able(asked, head, need).stream()
        .filter(room -> !butOn.contains(room.id()) && room.takesAhead(head, need))
        .max(order);
  }

  /** Takes from a host what a pass gave of it. */
  void give(Assignment given, Head head) {
    Room room = rooms.get(given.host());
    if (room != null && head != null) {
      need(head).ifPresent(need -> room.take(head, need));
    }
  }

  /** Whether another host than that takes the job now; then it has it. */
  boolean elsewhere(Head head, Need need, String than) {
    return able(Asked.of(head), head, need).stream()
        .filter(room -> !room.id().equals(than) && room.takes(head, need))
        .findFirst()
        .map(room -> room.take(head, need))
        .isPresent();
  }

  /** Why none takes it. */
  NoRoom.Lack why(Asked asked, Head head, Need need) {
    return new WhyNone(rooms.values(), ever(asked, head, need))
        .lack(able(asked, head, need), head, need);
  }

  /** Whether it might be placed if it took less of its host's memory. */
  boolean lacksMemory(Asked asked, Head head, Need need) {
    return need.memory() != null
        && (need.memory().bytes() > smallestMemory
            || able(asked, head, need).stream()
                .anyMatch(room -> !room.memory().has(need.memory(), 0))
            || rooms.values().stream().anyMatch(room -> room.keptFor().isPresent()));
  }

  /** Whether the job could be served by what is usable now, once that is free. */
  boolean mayKeep(Head head, Need need) {
    return able(Asked.of(head), head, need).stream()
            .filter(room -> room.mayServe(head))
            .limit(head.shape().members())
            .count()
        == head.shape().members();
  }

  /**
   * The hosts to be kept free for a job, all that it needs at once or none: of two that each kept
   * some, neither would ever start.
   *
   * @param before those that were
   */
  List<Room> toKeep(Head head, Need need, List<String> before) {
    List<Room> free =
        able(Asked.of(head), head, need).stream()
            .filter(room -> room.mayServe(head) && room.keptFor().isEmpty())
            .sorted(
                Comparator.<Room, Boolean>comparing(room -> !before.contains(room.id()))
                    .thenComparing(RoomOrder.soonest(need).reversed()))
            .limit(head.shape().members())
            .toList();
    return free.size() < head.shape().members() ? List.of() : free;
  }

  /**
   * Hosts that can ever serve it; those that failed it only if there are too few others, and those
   * with less memory than was measured likewise.
   */
  List<Room> able(Asked asked, Head head, Need need) {
    List<Room> ever = ever(asked, head, need);
    if (need.memory() == null || need.memory().bytes() <= smallestMemory) {
      return ever;
    }
    return anywhere(asked, head, need) ? ever : large(ever, need);
  }

  /** Whether it goes to hosts with less memory than was measured, since too few have so much. */
  boolean anywhere(Asked asked, Head head, Need need) {
    return need.memory() != null
        && !need.memory().firm()
        && need.memory().bytes() > smallestMemory
        && large(ever(asked, head, need), need).size() < head.shape().members();
  }

  private static List<Room> large(List<Room> some, Need need) {
    return some.stream().filter(room -> room.hasEver(need)).toList();
  }

  /** The same, whatever memory they have. */
  private List<Room> ever(Asked asked, Head head, Need need) {
    return able.computeIfAbsent(
        asked.ever(),
        any -> {
          List<Room> ever =
              rooms.values().stream().filter(room -> room.never(head, need).isEmpty()).toList();
          List<Room> unblemished =
              ever.stream().filter(room -> !head.avoid().hosts().contains(room.id())).toList();
          return unblemished.size() < head.shape().members() ? ever : unblemished;
        });
  }
}
