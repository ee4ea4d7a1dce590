package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.Shape;
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
final class FeasibleHosts {
  private final Map<String, HostCapacity> capacities = new LinkedHashMap<>();
  private final Map<SchedulingKey, List<HostCapacity>> able = new HashMap<>();

  /** Shapes that were read of one text are one: what is the same need not be compared in full. */
  private final Map<Shape, Optional<Need>> needs = new IdentityHashMap<>();

  private final long smallestMemory;
  private final boolean fleetHasGpu;
  private final TieBreaker ties;

  FeasibleHosts(List<Host> hosts, TieBreaker ties) {
    this.ties = ties;
    hosts.forEach(host -> capacities.put(host.id(), new HostCapacity(host)));
    smallestMemory =
        capacities.values().stream()
            .flatMap(capacity -> capacity.memory().total().stream())
            .min(Comparator.naturalOrder())
            .orElse(Long.MAX_VALUE);
    fleetHasGpu = hosts.stream().anyMatch(host -> !host.devices().isEmpty());
  }

  List<HostCapacity> capacities() {
    return List.copyOf(capacities.values());
  }

  /**
   * Keeps room on the hosts of a claim: as much as is made for it, or, of a job of which no more is
   * known than that it waits longer, all that another one needs.
   */
  void keep(Reservation reservation, Need need) {
    for (String host : reservation.hosts()) {
      HostCapacity capacity = capacities.get(host);
      if (capacity != null && reservation.isMade()) {
        capacity.keep(reservation.madeSoFar(host), reservation.job());
      } else if (capacity != null) {
        capacity.keepAll(need, reservation.job());
      }
    }
  }

  /** Keeps what is made for a job. */
  void keepMade(Reservation reservation) {
    keep(reservation, reservation.made());
  }

  /** Keeps nothing more for a job. */
  void release(Reservation reservation) {
    reservation.hosts().stream()
        .map(capacities::get)
        .filter(Objects::nonNull)
        .forEach(capacity -> capacity.release(reservation.job()));
  }

  /** The hosts of a claim. */
  List<HostCapacity> of(Reservation reservation) {
    return reservation.hosts().stream().map(capacities::get).filter(Objects::nonNull).toList();
  }

  int usable() {
    return (int) capacities.values().stream().filter(capacity -> capacity.host().usable()).count();
  }

  /** What a job takes in this fleet; nothing if no host may give it. */
  Optional<Need> need(QueueHead head) {
    return needs
        .computeIfAbsent(
            head.shape(), shape -> shape.takes(fleetHasGpu).map(takes -> new Need(takes, null)))
        .map(need -> need.with(head.hostMemory()));
  }

  /** Why a job without a need is left. */
  UnschedulableReason neverAtAll() {
    return UnschedulableReason.never(
        "no host of the fleet has a GPU, and CPU slots are refused by cpuFallback: false");
  }

  /** The hosts that take the job now, all that it needs at once or none. */
  List<HostCapacity> best(SchedulingKey asked, QueueHead head, Need need) {
    Comparator<HostCapacity> order = HostOrder.best(head, need, ties);
    int members = head.shape().members();
    if (members == 1) {
      HostCapacity best = null;
      for (HostCapacity capacity : able(asked, head, need)) {
        if (capacity.takes(head, need) && (best == null || order.compare(capacity, best) > 0)) {
          best = capacity;
        }
      }
      return best == null ? List.of() : List.of(best);
    }
    List<HostCapacity> best =
        able(asked, head, need).stream()
            .filter(capacity -> capacity.takes(head, need))
            .sorted(blemished(head).thenComparing(order.reversed()))
            .limit(members)
            .toList();
    return best.size() < members ? List.of() : best;
  }

  /** Where too few are left without those that failed the job, some of them are taken, no more. */
  private static Comparator<HostCapacity> blemished(QueueHead head) {
    return Comparator.comparing(capacity -> head.avoid().hosts().contains(capacity.id()));
  }

  /** The host that holds the job behind its CPU slots, of those the one where it starts first. */
  Optional<HostCapacity> ahead(SchedulingKey asked, QueueHead head, Need need, Set<String> butOn) {
    Comparator<HostCapacity> order =
        Comparator.comparingLong(HostCapacity::aheadMs).thenComparing(ties.of(head.job()));
    return able(asked, head, need).stream()
        .filter(capacity -> !butOn.contains(capacity.id()) && capacity.takesAhead(head, need))
        .max(order);
  }

  /** Takes from a host what a pass gave of it. */
  void give(Assignment given, QueueHead head) {
    HostCapacity capacity = capacities.get(given.host());
    if (capacity != null && head != null) {
      need(head).ifPresent(need -> capacity.take(head, need));
    }
  }

  /** Whether another host than that takes the job now; then it has it. */
  boolean elsewhere(QueueHead head, Need need, String than) {
    return able(SchedulingKey.of(head), head, need).stream()
        .filter(capacity -> !capacity.id().equals(than) && capacity.takes(head, need))
        .findFirst()
        .map(capacity -> capacity.take(head, need))
        .isPresent();
  }

  /** Why none takes it. */
  UnfeasibleKeys.Lack why(SchedulingKey asked, QueueHead head, Need need) {
    return new Diagnosis(capacities.values(), ever(asked, head, need))
        .lack(able(asked, head, need), head, need);
  }

  /** Whether it might be placed if it took less of its host's memory. */
  boolean lacksMemory(SchedulingKey asked, QueueHead head, Need need) {
    return need.memory() != null
        && (need.memory().bytes() > smallestMemory
            || able(asked, head, need).stream()
                .anyMatch(capacity -> !capacity.memory().has(need.memory(), 0))
            || capacities.values().stream().anyMatch(capacity -> capacity.keptFor().isPresent()));
  }

  /** Whether the job could be served by what is usable now, once that is free. */
  boolean mayKeep(QueueHead head, Need need) {
    return able(SchedulingKey.of(head), head, need).stream()
            .filter(capacity -> capacity.mayServe(head))
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
  List<HostCapacity> toKeep(QueueHead head, Need need, List<String> before) {
    List<HostCapacity> free =
        able(SchedulingKey.of(head), head, need).stream()
            .filter(capacity -> capacity.mayServe(head) && capacity.keptFor().isEmpty())
            .sorted(
                Comparator.<HostCapacity, Boolean>comparing(
                        capacity -> !before.contains(capacity.id()))
                    .thenComparing(HostOrder.soonest(need).reversed()))
            .limit(head.shape().members())
            .toList();
    return free.size() < head.shape().members() ? List.of() : free;
  }

  /**
   * Hosts that can ever serve it; those that failed it only if there are too few others, and those
   * with less memory than was measured likewise.
   */
  List<HostCapacity> able(SchedulingKey asked, QueueHead head, Need need) {
    List<HostCapacity> ever = ever(asked, head, need);
    if (need.memory() == null || need.memory().bytes() <= smallestMemory) {
      return ever;
    }
    return anywhere(asked, head, need) ? ever : large(ever, need);
  }

  /** Whether it goes to hosts with less memory than was measured, since too few have so much. */
  boolean anywhere(SchedulingKey asked, QueueHead head, Need need) {
    return need.memory() != null
        && !need.memory().firm()
        && need.memory().bytes() > smallestMemory
        && large(ever(asked, head, need), need).size() < head.shape().members();
  }

  private static List<HostCapacity> large(List<HostCapacity> some, Need need) {
    return some.stream().filter(capacity -> capacity.hasEver(need)).toList();
  }

  /** The same, whatever memory they have. */
  private List<HostCapacity> ever(SchedulingKey asked, QueueHead head, Need need) {
    return able.computeIfAbsent(
        asked.ever(),
        any -> {
          List<HostCapacity> ever =
              capacities.values().stream()
                  .filter(capacity -> capacity.never(head, need).isEmpty())
                  .toList();
          List<HostCapacity> unblemished =
              ever.stream()
                  .filter(capacity -> !head.avoid().hosts().contains(capacity.id()))
                  .toList();
          return unblemished.size() < head.shape().members() ? ever : unblemished;
        });
  }
}
