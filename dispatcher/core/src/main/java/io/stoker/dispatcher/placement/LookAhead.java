package io.stoker.dispatcher.placement;

import io.stoker.common.message.ToAgent.CallBack;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides what hosts are given behind their CPU slots, so that the next job starts at the exit of
 * another without a message of a dispatcher between, and what is called back from there. See ADR
 * 0037.
 *
 * <p>A host gets as much as is expected to start within {@value #HORIZON_MS} ms, of jobs of which
 * it is known how long those like them run. What is called back counts as open until its agent has
 * returned it: nothing is decided here that a lost or late call could make wrong. So all that is
 * remembered is soft: after a takeover a host is given nothing behind its slots until what runs
 * there is known again.
 */
public final class LookAhead {
  /** What is held is expected to start within this. */
  static final long HORIZON_MS = 2_000;

  /** What has not begun by then was expected wrongly: it stands in line again. */
  static final long OVERDUE_MS = 2 * HORIZON_MS;

  /** A call that came to nothing is made again after this. */
  static final long AGAIN_MS = 1_000;

  /** What runs so many times longer than expected, and for a second, tells nothing of its end. */
  private static final int LONGER = 4;

  private static final long LONG_MS = 1_000;

  private final RunTimes times;
  private final Map<AttemptRow.Key, Assigned> given = new HashMap<>();
  private final Map<AttemptRow.Key, Long> called = new HashMap<>();

  /** Profiles of which some wait at gates: these are as many as there are ways to ask for that. */
  private final Set<String> gated = new HashSet<>();

  /**
   * What this scheduler has placed.
   *
   * @param ahead whether behind slots
   * @param expectedMs how long it runs; null if that is not known
   */
  private record Assigned(QueueHead head, Need need, boolean ahead, Long expectedMs) {}

  /** An attempt that is to be given back. */
  public record Call(String host, CallBack message) {}

  public LookAhead(RunTimes times) {
    this.times = times;
  }

  /** The hosts, with what each may be given behind its slots. */
  public synchronized List<Host> offering(
      List<Host> hosts, List<HostRow> rows, List<AttemptRow> open, long now) {
    Set<AttemptRow.Key> keys = open.stream().map(AttemptRow::key).collect(Collectors.toSet());
    given.keySet().retainAll(keys);
    called.keySet().retainAll(keys);
    Map<String, HostRow> byId = byId(rows);
    Map<String, List<AttemptRow>> byHost = byHost(open);
    return hosts.stream()
        .map(
            host ->
                host.ahead(
                    capacity(
                        byId.get(host.id()), host, byHost.getOrDefault(host.id(), List.of()), now)))
        .toList();
  }

  private static Map<String, HostRow> byId(List<HostRow> rows) {
    return rows.stream().collect(Collectors.toMap(HostRow::id, row -> row, (one, same) -> one));
  }

  private static Map<String, List<AttemptRow>> byHost(List<AttemptRow> open) {
    return open.stream().collect(Collectors.groupingBy(AttemptRow::host));
  }

  private LookAheadCapacity capacity(HostRow row, Host host, List<AttemptRow> open, long now) {
    Integer offered = row.resources().lookAhead();
    if (offered == null || !host.usable() || host.onTrialNow()) {
      return LookAheadCapacity.NONE;
    }
    int most = Math.min(offered, LookAheadCapacity.MOST);
    int held = held(host);
    // Many at a time cost little more than one: what is half full can wait.
    if (held > most / 2 || open.stream().anyMatch(one -> overdue(one, now))) {
      return LookAheadCapacity.NONE;
    }
    long ms = 0;
    int slots = host.freeSlots() + open.stream().mapToInt(one -> one.takes().cpuSlots()).sum();
    for (AttemptRow one : open) {
      Assigned known = given.get(one.key());
      if (known == null || known.expectedMs() == null || runsOn(one, known.expectedMs(), now)) {
        slots -= one.takes().cpuSlots();
      } else {
        ms += known.expectedMs() * one.takes().cpuSlots();
      }
    }
    long left = HORIZON_MS * Math.max(0, slots) - ms;
    return left > 0 ? new LookAheadCapacity(most - held, left) : LookAheadCapacity.NONE;
  }

  /** Attempts beyond its slots. */
  public static int held(Host host) {
    return Math.max(0, -host.freeSlots());
  }

  private static boolean runsOn(AttemptRow one, long expectedMs, long now) {
    return one.runningSince() != null
        && now - one.runningSince() > Math.max(LONG_MS, LONGER * expectedMs);
  }

  /** How long jobs in line run, very likely, ms by job: of those of which that is known. */
  public synchronized Map<String, Long> expected(List<QueueHead> line) {
    Map<String, Long> expected = new HashMap<>();
    for (QueueHead head : line) {
      String profile = profile(head);
      if (profile != null && !gated.contains(profile)) {
        times.expected(profile).ifPresent(ms -> expected.put(head.job(), ms));
      }
    }
    return expected;
  }

  private static String profile(QueueHead head) {
    return head.memory().ofHost().keys().profile();
  }

  /**
   * What a pass has placed, and what not.
   *
   * @param assigned what it gave
   */
  public synchronized void placed(Placed placed, List<Assignment> assigned, Snapshot snapshot) {
    Map<String, QueueHead> heads = heads(snapshot);
    for (String job : placed.gated()) {
      gated.add(profile(heads.get(job)));
    }
    Set<String> ahead =
        assigned.stream()
            .filter(Assignment::ahead)
            .map(Assignment::job)
            .collect(Collectors.toSet());
    FeasibleHosts feasible = new FeasibleHosts(snapshot.hosts(), snapshot.ties());
    for (AttemptRow one : placed.opened()) {
      QueueHead head = heads.get(one.job());
      if (head != null && one.takes().cpuSlots() > 0) {
        Long expectedMs = snapshot.expectedMs(one.job());
        feasible
            .need(head)
            .map(need -> new Assigned(head, need, ahead.contains(one.job()), expectedMs))
            .ifPresent(known -> given.put(one.key(), known));
      }
    }
  }

  private static Map<String, QueueHead> heads(Snapshot snapshot) {
    return snapshot.heads().stream().collect(Collectors.toMap(QueueHead::job, head -> head));
  }

  /** What hosts have beyond their slots: of what they hold those that came last start last. */
  public synchronized List<AttemptRow> beyondSlots(
      List<Host> hosts, List<HostRow> rows, List<AttemptRow> open) {
    Map<String, HostRow> byId = byId(rows);
    Map<String, List<AttemptRow>> byHost = byHost(open);
    return hosts.stream()
        .flatMap(
            host ->
                waiting(byId.get(host.id()), host, byHost)
                    .sorted(Comparator.comparingLong(AttemptRow::placedAt).reversed())
                    .limit(held(host)))
        .toList();
  }

  private Stream<AttemptRow> waiting(HostRow row, Host host, Map<String, List<AttemptRow>> byHost) {
    return row.resources().lookAhead() == null
        ? Stream.empty()
        : byHost.getOrDefault(host.id(), List.of()).stream()
            .filter(this::mayWait)
            .filter(one -> held(host) > 0 || given.containsKey(one.key()));
  }

  /**
   * What is to be given back: all that a cordoned host holds, or one on which others end for a job
   * in line, what has waited for longer than was expected, and what can start at once on another
   * host.
   *
   * @param snapshot that the pass looked at
   * @param decision what it gave of that
   * @param plan who is to end for whom, besides those that were told before
   */
  public synchronized List<Call> calls(
      Snapshot snapshot,
      Decision decision,
      Optional<Plan> plan,
      List<HostRow> rows,
      List<AttemptRow> open,
      long now) {
    Map<String, HostRow> byId = byId(rows);
    Map<String, List<AttemptRow>> byHost = byHost(open);
    // An agent starts what it holds as soon as a victim is gone: it is not to hold anything then.
    Set<String> made =
        Stream.concat(
                decision.reservations().stream()
                    .filter(Reservation::isMade)
                    .map(Reservation::hosts),
                plan.stream().map(found -> found.hold().hosts()))
            .flatMap(List::stream)
            .collect(Collectors.toSet());
    Set<AttemptRow.Key> back = new HashSet<>();
    for (Host host : snapshot.hosts()) {
      HostRow row = byId.get(host.id());
      boolean all = row.cordoned() || made.contains(host.id());
      waiting(row, host, byHost)
          .filter(one -> all || overdue(one, now))
          .map(AttemptRow::key)
          .forEach(back::add);
    }
    List<AttemptRow> movable = beyondSlots(snapshot.hosts(), rows, open);
    if (!movable.isEmpty()) {
      move(movable, snapshot, decision, back);
    }
    return open.stream()
        .filter(one -> back.contains(one.key()))
        .filter(one -> now - called.getOrDefault(one.key(), now - AGAIN_MS) >= AGAIN_MS)
        .peek(one -> called.put(one.key(), now))
        .map(one -> new Call(one.host(), new CallBack(one.job(), one.number())))
        .toList();
  }

  /** Gives what waits, in thought, what other hosts have left after a pass. */
  private void move(
      List<AttemptRow> movable, Snapshot snapshot, Decision decision, Set<AttemptRow.Key> back) {
    FeasibleHosts feasible = new FeasibleHosts(snapshot.hosts(), snapshot.ties());
    Map<String, QueueHead> heads = heads(snapshot);
    for (Assignment one : decision.assignments()) {
      feasible.give(one, heads.get(one.job()));
    }
    for (AttemptRow one : movable) {
      Assigned known = given.get(one.key());
      if (known != null && feasible.elsewhere(known.head(), known.need(), one.host())) {
        back.add(one.key());
      }
    }
  }

  /** Whether it may be that none of it has begun; an agent that is asked for one that has knows. */
  private boolean mayWait(AttemptRow one) {
    Assigned known = given.get(one.key());
    return (known == null || known.ahead())
        && one.state() != AttemptRow.State.RUNNING
        && one.takes().plainSlots() == 1
        && one.rank() == 0
        && one.cancelReason() == null;
  }

  private boolean overdue(AttemptRow one, long now) {
    return mayWait(one) && now - one.placedAt() > OVERDUE_MS;
  }
}
