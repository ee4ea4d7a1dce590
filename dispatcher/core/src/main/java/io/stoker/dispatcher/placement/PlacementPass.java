package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.GroupLimit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Gives jobs in line to hosts with room. First those for which room was kept; then the queue that
 * has had least for its weight gives its next job, again and again, for GPUs, for CPU slots and for
 * pools of workers apart, since no job takes two of them. Within a queue the order is that of
 * {@link QueueHead#rank}. What does not fit blocks nothing behind it; but the first job of the
 * least served queue, once it has waited long enough, gets a {@link Reservation}, and a host is
 * kept free for it, or as many as it needs at once.
 *
 * <p>The same snapshot always gives the same decision.
 */
public final class PlacementPass {
  /** One host in so many may be kept free, and one always. */
  static final int HOSTS_PER_KEPT = 20;

  private final Snapshot snapshot;
  private final long reserveAfterMs;
  private final FeasibleHosts feasible;
  private final List<Assignment> assignments = new ArrayList<>();
  private final Map<String, UnschedulableReason> unplaced = new LinkedHashMap<>();
  private final List<Reservation> reservations = new ArrayList<>();
  private final Set<String> claiming = new HashSet<>();
  private final Map<String, Integer> mayStart = new HashMap<>();
  private final Map<String, Integer> laneMayStart = new HashMap<>();
  private final UnfeasibleKeys unfeasibleKeys = new UnfeasibleKeys();
  private final BehindSlots ahead;
  private int mayKeep;
  private int searches;

  private PlacementPass(Snapshot snapshot, long reserveAfterMs) {
    this.snapshot = snapshot;
    this.reserveAfterMs = reserveAfterMs;
    feasible = new FeasibleHosts(snapshot.hosts(), snapshot.ties());
    ahead = new BehindSlots(snapshot, feasible);
    mayKeep = Math.max(1, feasible.usable() / HOSTS_PER_KEPT);
  }

  /**
   * What a pass decides.
   *
   * @param unplaced by job, why a head was left
   * @param reservations what room is kept for, for the next pass
   * @param searches for how many jobs the hosts were gone through: of those that ask alike and find
   *     no room for one alone
   * @param roomLeft whether some host has room for something that was not in line
   */
  public record Decision(
      List<Assignment> assignments,
      Map<String, UnschedulableReason> unplaced,
      List<Reservation> reservations,
      int searches,
      boolean roomLeft) {}

  /**
   * Decides over a snapshot.
   *
   * @param reserveAfterMs how long a job waits at least before room is kept for it
   */
  public static Decision decide(Snapshot snapshot, long reserveAfterMs) {
    PlacementPass pass = new PlacementPass(snapshot, reserveAfterMs);
    pass.run();
    return new Decision(
        pass.assignments,
        pass.unplaced,
        pass.reservations,
        pass.searches,
        pass.feasible.capacities().stream().anyMatch(HostCapacity::hasRoom));
  }

  private void run() {
    Map<String, QueueSchedulingContext> forGpus = new HashMap<>();
    Map<String, QueueSchedulingContext> forSlots = new HashMap<>();
    Map<String, QueueSchedulingContext> forPools = new HashMap<>();
    Map<String, Reservation> claimed = new HashMap<>();
    snapshot.reservations().forEach(reservation -> claimed.put(reservation.job(), reservation));
    Map<String, QueueHead> keptFor = new HashMap<>();
    List<QueueHead> heads = new ArrayList<>(snapshot.heads());
    heads.sort(Comparator.comparingLong(QueueHead::rank).thenComparing(QueueHead::job));
    for (QueueHead head : heads) {
      Optional<Need> need = feasible.need(head);
      if (need.isEmpty()) {
        unplaced.put(head.job(), feasible.neverAtAll());
      } else if (need.get().onPool()) {
        context(forPools, head, need.get()).add(head);
      } else if (claimed.containsKey(head.job())) {
        keptFor.put(head.job(), head);
        context(need.get().forGpus() ? forGpus : forSlots, head, need.get());
      } else {
        context(need.get().forGpus() ? forGpus : forSlots, head, need.get()).add(head);
      }
    }
    snapshot.reservations().stream().filter(Reservation::isMade).forEach(feasible::keepMade);
    for (Reservation reservation : snapshot.reservations()) {
      if (keptFor.containsKey(reservation.job())) {
        QueueHead head = keptFor.get(reservation.job());
        Need need = feasible.need(head).orElseThrow();
        redeem(reservation, head, need, (need.forGpus() ? forGpus : forSlots).get(head.queue()));
      } else if (reservation.isMade()) {
        reservations.add(reservation);
      }
    }
    serve(forGpus);
    serve(forSlots);
    serve(forPools);
  }

  private QueueSchedulingContext context(
      Map<String, QueueSchedulingContext> contexts, QueueHead head, Need need) {
    return contexts.computeIfAbsent(
        head.queue(),
        queue -> new QueueSchedulingContext(snapshot.standing(queue), need.forGpus()));
  }

  /** Places what room was kept for, or keeps it further. */
  private void redeem(
      Reservation reservation, QueueHead head, Need need, QueueSchedulingContext context) {
    if (reservation.isMade()) {
      feasible.release(reservation);
    }
    if (!mayStart(head)) {
      return;
    }
    // What is kept differs from claim to claim: what was found for one is not so for the next.
    Optional<UnschedulableReason> left =
        reservation.isMade() ? placeNow(SchedulingKey.of(head), head, need) : place(head, need);
    if (left.isEmpty()) {
      context.charge(need, head.shape().members());
      return;
    }
    unplaced.put(head.job(), left.get());
    if (!waitsForRoom(left.get())) {
      return;
    }
    if (reservation.isMade()) {
      keepMade(reservation, head, need);
      context.charge(need, head.shape().members());
    } else if (feasible.mayKeep(head, need)) {
      keep(reservation, head, need);
      context.charge(need, head.shape().members());
    }
  }

  /** Others end for it: nobody else gets that room, and it has its place among what may start. */
  private void keepMade(Reservation reservation, QueueHead head, Need need) {
    feasible.keepMade(reservation);
    reservations.add(reservation);
    unplaced.put(head.job(), reserving(reservation, feasible.of(reservation), head, need));
    starts(head);
  }

  private void serve(Map<String, QueueSchedulingContext> queues) {
    PriorityQueue<QueueSchedulingContext> contexts = new PriorityQueue<>();
    queues.values().stream().filter(context -> !context.isEmpty()).forEach(contexts::add);
    boolean leastServedIsKnown = false;
    while (!contexts.isEmpty()) {
      QueueSchedulingContext context = contexts.remove();
      QueueHead head = context.next();
      if (mayStart(head)) {
        Need need = feasible.need(head).orElseThrow();
        Optional<UnschedulableReason> left = place(head, need);
        if (left.isEmpty()) {
          context.charge(need, head.shape().members());
        } else {
          unplaced.put(head.job(), left.get());
          if (!leastServedIsKnown && impatient(head, left.get())) {
            leastServedIsKnown = true;
            reserve(head, need, context);
          }
        }
      }
      if (!context.isEmpty()) {
        contexts.add(context);
      }
    }
  }

  /** Whether its queue and group may have another one running; if not, that is why it is left. */
  private boolean mayStart(QueueHead head) {
    int more = mayStart.computeIfAbsent(head.queue(), queue -> snapshot.standing(queue).mayStart());
    if (more == 0) {
      int limit = snapshot.standing(head.queue()).settings().maxRunning().orElse(0);
      unplaced.put(head.job(), UnschedulableReason.limit(head.queue(), limit));
    }
    return more > 0 && laneMayStart(head);
  }

  private boolean laneMayStart(QueueHead head) {
    GroupLimit limit =
        head.plannedGroup() == null ? null : snapshot.limits().get(head.plannedGroup());
    if (limit == null
        || laneMayStart.computeIfAbsent(head.plannedGroup(), plannedGroup -> limit.more()) > 0) {
      return true;
    }
    unplaced.put(head.job(), UnschedulableReason.group(limit));
    return false;
  }

  /** Gives the job to the best host, or to all that it needs at once; else says why not. */
  private Optional<UnschedulableReason> place(QueueHead head, Need need) {
    SchedulingKey asked = SchedulingKey.of(head);
    return unfeasibleKeys
        .why(asked, need, feasible.anywhere(asked, head, need))
        .or(() -> placeNow(asked, head, need))
        .filter(left -> !placedAhead(asked, head, need, left));
  }

  private boolean placedAhead(
      SchedulingKey asked, QueueHead head, Need need, UnschedulableReason left) {
    Optional<Assignment> held =
        waitsForRoom(left) ? ahead.hold(asked, head, need) : Optional.empty();
    held.ifPresent(
        one -> {
          starts(head);
          assignments.add(one);
        });
    return held.isPresent();
  }

  private Optional<UnschedulableReason> placeNow(SchedulingKey asked, QueueHead head, Need need) {
    searches++;
    List<HostCapacity> best = feasible.best(asked, head, need);
    if (best.isEmpty()) {
      boolean anywhere = feasible.anywhere(asked, head, need);
      boolean forMemory = feasible.lacksMemory(asked, head, need);
      UnfeasibleKeys.Lack lack = feasible.why(asked, head, need);
      return Optional.of(unfeasibleKeys.note(asked, need, anywhere, lack, forMemory));
    }
    starts(head);
    best.forEach(capacity -> assignments.add(capacity.take(head, need)));
    return Optional.empty();
  }

  private void starts(QueueHead head) {
    mayStart.merge(head.queue(), -1, Integer::sum);
    if (head.plannedGroup() != null) {
      laneMayStart.computeIfPresent(head.plannedGroup(), (plannedGroup, more) -> more - 1);
    }
  }

  private boolean impatient(QueueHead head, UnschedulableReason left) {
    return waitsForRoom(left)
        && head.shape().onHost()
        && snapshot.now() - head.arrivedAt() >= reserveAfterMs
        && feasible.mayKeep(head, feasible.need(head).orElseThrow());
  }

  private static boolean waitsForRoom(UnschedulableReason left) {
    return switch (left.reason()) {
      case NO_ROOM, NO_MEMORY, RESERVED -> true;
      case UNSATISFIABLE, LIMIT, GROUP, HOSTS_AWAY, RESERVING, PREEMPTING -> false;
    };
  }

  /** A queue has one claim at a time. */
  private void reserve(QueueHead head, Need need, QueueSchedulingContext context) {
    if (!claiming.contains(key(head, need))) {
      keep(new Reservation(head.job(), head.queue(), List.of(), snapshot.now()), head, need);
      context.charge(need, head.shape().members());
    }
  }

  private void keep(Reservation reservation, QueueHead head, Need need) {
    List<HostCapacity> capacities =
        mayKeep == 0 ? List.of() : feasible.toKeep(head, need, reservation.hosts());
    Reservation kept = reservation.on(capacities.stream().map(HostCapacity::id).toList());
    reservations.add(kept);
    claiming.add(key(head, need));
    unplaced.put(head.job(), reserving(kept, capacities, head, need));
    capacities.forEach(capacity -> capacity.keep(need, head.job()));
    mayKeep -= capacities.isEmpty() ? 0 : 1;
  }

  private static UnschedulableReason reserving(
      Reservation kept, List<HostCapacity> capacities, QueueHead head, Need need) {
    int members = head.shape().members();
    if (capacities.isEmpty()) {
      return UnschedulableReason.toReserve(members);
    }
    if (members == 1) {
      return UnschedulableReason.reservingOne(kept, capacities.getFirst(), need);
    }
    long ready =
        capacities.stream().filter(capacity -> capacity.free(need) >= need.count()).count();
    return UnschedulableReason.reserving(kept, ready, need.describe());
  }

  private static String key(QueueHead head, Need need) {
    return (need.forGpus() ? "gpus " : "slots ") + head.queue();
  }
}
