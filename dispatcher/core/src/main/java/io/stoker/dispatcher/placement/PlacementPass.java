package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.ledger.LaneLimit;
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
 * {@link Head#rank}. What does not fit blocks nothing behind it; but the first job of the least
 * served queue, once it has waited long enough, gets a {@link Claim}, and a host is kept free for
 * it, or as many as it needs at once.
 *
 * <p>The same snapshot always gives the same decision.
 */
public final class PlacementPass {
  /** One host in so many may be kept free, and one always. */
  static final int HOSTS_PER_KEPT = 20;

  private final Snapshot snapshot;
  private final long reserveAfterMs;
  private final Candidates candidates;
  private final List<Assignment> assignments = new ArrayList<>();
  private final Map<String, Unplaced> unplaced = new LinkedHashMap<>();
  private final List<Claim> claims = new ArrayList<>();
  private final Set<String> claiming = new HashSet<>();
  private final Map<String, Integer> mayStart = new HashMap<>();
  private final Map<String, Integer> laneMayStart = new HashMap<>();
  private final NoRoom noRoom = new NoRoom();
  private final BehindSlots ahead;
  private int mayKeep;
  private int searches;

  private PlacementPass(Snapshot snapshot, long reserveAfterMs) {
    this.snapshot = snapshot;
    this.reserveAfterMs = reserveAfterMs;
    candidates = new Candidates(snapshot.hosts(), snapshot.ties());
    ahead = new BehindSlots(snapshot, candidates);
    mayKeep = Math.max(1, candidates.usable() / HOSTS_PER_KEPT);
  }

  /**
   * What a pass decides.
   *
   * @param unplaced by job, why a head was left
   * @param claims what room is kept for, for the next pass
   * @param searches for how many jobs the hosts were gone through: of those that ask alike and find
   *     no room for one alone
   * @param roomLeft whether some host has room for something that was not in line
   */
  public record Decision(
      List<Assignment> assignments,
      Map<String, Unplaced> unplaced,
      List<Claim> claims,
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
        pass.claims,
        pass.searches,
        pass.candidates.rooms().stream().anyMatch(Room::hasRoom));
  }

  private void run() {
    Map<String, Turn> forGpus = new HashMap<>();
    Map<String, Turn> forSlots = new HashMap<>();
    Map<String, Turn> forPools = new HashMap<>();
    Map<String, Claim> claimed = new HashMap<>();
    snapshot.claims().forEach(claim -> claimed.put(claim.job(), claim));
    Map<String, Head> keptFor = new HashMap<>();
    List<Head> heads = new ArrayList<>(snapshot.heads());
    heads.sort(Comparator.comparingLong(Head::rank).thenComparing(Head::job));
    for (Head head : heads) {
      Optional<Need> need = candidates.need(head);
      if (need.isEmpty()) {
        unplaced.put(head.job(), candidates.neverAtAll());
      } else if (need.get().onPool()) {
        turn(forPools, head, need.get()).add(head);
      } else if (claimed.containsKey(head.job())) {
        keptFor.put(head.job(), head);
        turn(need.get().forGpus() ? forGpus : forSlots, head, need.get());
      } else {
        turn(need.get().forGpus() ? forGpus : forSlots, head, need.get()).add(head);
      }
    }
    snapshot.claims().stream().filter(Claim::isMade).forEach(candidates::keepMade);
    for (Claim claim : snapshot.claims()) {
      if (keptFor.containsKey(claim.job())) {
        Head head = keptFor.get(claim.job());
        Need need = candidates.need(head).orElseThrow();
        redeem(claim, head, need, (need.forGpus() ? forGpus : forSlots).get(head.queue()));
      } else if (claim.isMade()) {
        claims.add(claim);
      }
    }
    serve(forGpus);
    serve(forSlots);
    serve(forPools);
  }

  private Turn turn(Map<String, Turn> turns, Head head, Need need) {
    return turns.computeIfAbsent(
        head.queue(), queue -> new Turn(snapshot.standing(queue), need.forGpus()));
  }

  /** Places what room was kept for, or keeps it further. */
  private void redeem(Claim claim, Head head, Need need, Turn turn) {
    if (claim.isMade()) {
      candidates.release(claim);
    }
    if (!mayStart(head)) {
      return;
    }
    // What is kept differs from claim to claim: what was found for one is not so for the next.
    Optional<Unplaced> left =
        claim.isMade() ? placeNow(Asked.of(head), head, need) : place(head, need);
    if (left.isEmpty()) {
      turn.charge(need, head.shape().members());
      return;
    }
    unplaced.put(head.job(), left.get());
    if (!waitsForRoom(left.get())) {
      return;
    }
    if (claim.isMade()) {
      keepMade(claim, head, need);
      turn.charge(need, head.shape().members());
    } else if (candidates.mayKeep(head, need)) {
      keep(claim, head, need);
      turn.charge(need, head.shape().members());
    }
  }

  /** Others end for it: nobody else gets that room, and it has its place among what may start. */
  private void keepMade(Claim claim, Head head, Need need) {
    candidates.keepMade(claim);
    claims.add(claim);
    unplaced.put(head.job(), reserving(claim, candidates.of(claim), head, need));
    starts(head);
  }

  private void serve(Map<String, Turn> queues) {
    PriorityQueue<Turn> turns = new PriorityQueue<>();
    queues.values().stream().filter(turn -> !turn.isEmpty()).forEach(turns::add);
    boolean leastServedIsKnown = false;
    while (!turns.isEmpty()) {
      Turn turn = turns.remove();
      Head head = turn.next();
      if (mayStart(head)) {
        Need need = candidates.need(head).orElseThrow();
        Optional<Unplaced> left = place(head, need);
        if (left.isEmpty()) {
          turn.charge(need, head.shape().members());
        } else {
          unplaced.put(head.job(), left.get());
          if (!leastServedIsKnown && impatient(head, left.get())) {
            leastServedIsKnown = true;
            claim(head, need, turn);
          }
        }
      }
      if (!turn.isEmpty()) {
        turns.add(turn);
      }
    }
  }

  /** Whether its queue and group may have another one running; if not, that is why it is left. */
  private boolean mayStart(Head head) {
    int more = mayStart.computeIfAbsent(head.queue(), queue -> snapshot.standing(queue).mayStart());
    if (more == 0) {
      int limit = snapshot.standing(head.queue()).settings().maxRunning().orElse(0);
      unplaced.put(head.job(), Unplaced.limit(head.queue(), limit));
    }
    return more > 0 && laneMayStart(head);
  }

  private boolean laneMayStart(Head head) {
    LaneLimit limit = head.lane() == null ? null : snapshot.lanes().get(head.lane());
    if (limit == null || laneMayStart.computeIfAbsent(head.lane(), lane -> limit.more()) > 0) {
      return true;
    }
    unplaced.put(head.job(), Unplaced.group(limit));
    return false;
  }

  /** Gives the job to the best host, or to all that it needs at once; else says why not. */
  private Optional<Unplaced> place(Head head, Need need) {
    Asked asked = Asked.of(head);
    return noRoom
        .why(asked, need, candidates.anywhere(asked, head, need))
        .or(() -> placeNow(asked, head, need))
        .filter(left -> !placedAhead(asked, head, need, left));
  }

  private boolean placedAhead(Asked asked, Head head, Need need, Unplaced left) {
    Optional<Assignment> held =
        waitsForRoom(left) ? ahead.hold(asked, head, need) : Optional.empty();
    held.ifPresent(
        one -> {
          starts(head);
          assignments.add(one);
        });
    return held.isPresent();
  }

  private Optional<Unplaced> placeNow(Asked asked, Head head, Need need) {
    searches++;
    List<Room> best = candidates.best(asked, head, need);
    if (best.isEmpty()) {
      boolean anywhere = candidates.anywhere(asked, head, need);
      boolean forMemory = candidates.lacksMemory(asked, head, need);
      NoRoom.Lack lack = candidates.why(asked, head, need);
      return Optional.of(noRoom.note(asked, need, anywhere, lack, forMemory));
    }
    starts(head);
    best.forEach(room -> assignments.add(room.take(head, need)));
    return Optional.empty();
  }

  private void starts(Head head) {
    mayStart.merge(head.queue(), -1, Integer::sum);
    if (head.lane() != null) {
      laneMayStart.computeIfPresent(head.lane(), (lane, more) -> more - 1);
    }
  }

  private boolean impatient(Head head, Unplaced left) {
    return waitsForRoom(left)
        && head.shape().pool() == null
        && !head.shape().elsewhere()
        && snapshot.now() - head.arrivedAt() >= reserveAfterMs
        && candidates.mayKeep(head, candidates.need(head).orElseThrow());
  }

  private static boolean waitsForRoom(Unplaced left) {
    return switch (left.reason()) {
      case NO_ROOM, NO_MEMORY, RESERVED -> true;
      case UNSATISFIABLE, LIMIT, GROUP, HOSTS_AWAY, RESERVING, PREEMPTING -> false;
    };
  }

  /** A queue has one claim at a time. */
  private void claim(Head head, Need need, Turn turn) {
    if (!claiming.contains(key(head, need))) {
      keep(new Claim(head.job(), head.queue(), List.of(), snapshot.now()), head, need);
      turn.charge(need, head.shape().members());
    }
  }

  private void keep(Claim claim, Head head, Need need) {
    List<Room> rooms = mayKeep == 0 ? List.of() : candidates.toKeep(head, need, claim.hosts());
    Claim kept = claim.on(rooms.stream().map(Room::id).toList());
    claims.add(kept);
    claiming.add(key(head, need));
    unplaced.put(head.job(), reserving(kept, rooms, head, need));
    rooms.forEach(room -> room.keep(need, head.job()));
    mayKeep -= rooms.isEmpty() ? 0 : 1;
  }

  private static Unplaced reserving(Claim kept, List<Room> rooms, Head head, Need need) {
    int members = head.shape().members();
    if (rooms.isEmpty()) {
      return Unplaced.toReserve(members);
    }
    if (members == 1) {
      return Unplaced.reservingOne(kept, rooms.getFirst(), need);
    }
    long ready = rooms.stream().filter(room -> room.free(need) >= need.count()).count();
    return Unplaced.reserving(kept, ready, need.describe());
  }

  private static String key(Head head, Need need) {
    return (need.forGpus() ? "gpus " : "slots ") + head.queue();
  }
}
