package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.ToAgent.Place;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What must be in an agent's journal before it starts or tells anything, and how it numbers what it
 * tells. Knows what was ever on one disk.
 */
final class JournalRules {
  private final World world;
  private final String machine;

  /** On which boot each attempt was accepted. */
  private final Map<AttemptKey, String> accepted = new HashMap<>();

  private final Set<AttemptKey> ended = new HashSet<>();
  private final Set<AttemptKey> endsForced = new HashSet<>();
  private final Set<AttemptKey> cancelled = new HashSet<>();

  /** What was told under each number. */
  private final Map<AttemptKey, TreeMap<Integer, String>> told = new HashMap<>();

  private final Map<AttemptKey, Integer> ends = new HashMap<>();
  private final PoolRules pools;
  private final StagedRules staged;

  JournalRules(World world, String machine) {
    this.world = world;
    this.machine = machine;
    this.pools = new PoolRules(world, machine);
    this.staged = new StagedRules(world, machine);
  }

  /** What must hold of what its pools run. */
  PoolRules pools() {
    return pools;
  }

  /** What must hold of its staged jobs. */
  StagedRules staged() {
    return staged;
  }

  /** An entry is in the journal. */
  void wrote(JournalEntry entry) {
    pools.wrote(entry);
    staged.wrote(entry);
    switch (entry) {
      case JournalEntry.Accepted taken ->
          accepted.put(new AttemptKey(taken.place().job(), taken.place().attempt()), taken.boot());
      case JournalEntry.Ended end -> ended.add(key(end.report()));
      // The dispatcher knows its end already: nobody needs it any more.
      case JournalEntry.Forgotten closed ->
          endsForced.add(new AttemptKey(closed.job(), closed.attempt()));
      default -> {}
    }
  }

  /** An entry is on the disk. */
  void forced(JournalEntry entry) {
    if (entry instanceof JournalEntry.Ended end) {
      endsForced.add(key(end.report()));
    }
  }

  /** An entry went with the power: what it tells of may be taken anew, or is open again. */
  void lost(JournalEntry entry) {
    pools.lost(entry);
    staged.lost(entry);
    switch (entry) {
      case JournalEntry.Accepted taken -> {
        AttemptKey key = new AttemptKey(taken.place().job(), taken.place().attempt());
        accepted.remove(key);
        ended.remove(key);
        told.remove(key);
        ends.remove(key);
      }
      // Some placements end without an acceptance, such as one that the host hands back.
      case JournalEntry.Ended end -> ended.remove(key(end.report()));
      default -> {}
    }
  }

  /** The agent has dealt with an order to end this attempt. */
  void cancelled(AttemptKey key) {
    cancelled.add(key);
  }

  /** A run is asked for. */
  void launches(AttemptKey key, String boot) {
    world.check(
        () -> {
          hold(
              accepted.containsKey(key),
              "%s is launched on %s before its acceptance is in the journal",
              key,
              machine);
          hold(
              boot.equals(accepted.get(key)),
              "%s is launched on %s, and was accepted on another boot: %s",
              key,
              boot,
              accepted.get(key));
          hold(!ended.contains(key), "%s is launched on %s after its end", key, machine);
          hold(
              !cancelled.contains(key),
              "%s is launched on %s, though it was cancelled",
              key,
              machine);
        });
  }

  /** A worker is told of a job. */
  Place gives(AttemptKey key, String boot) {
    launches(key, boot);
    return pools.gives(key);
  }

  /**
   * A record of events is handed to the broker.
   *
   * @param runs whether a process of an attempt is alive
   */
  void tells(byte[] record, Predicate<AttemptKey> runs) {
    try {
      List<AttemptEvent> events = Json.read(record, EventsRecord.class).events();
      world.check(() -> events.forEach(event -> tells(event, runs)));
    } catch (MalformedJson e) {
      throw new SimulationFailure("a record that is none: " + e.getMessage(), e);
    }
  }

  private void tells(AttemptEvent event, Predicate<AttemptKey> runs) {
    AttemptKey key = key(event);
    boolean end = event.type() == Type.ENDED;
    hold(
        accepted.containsKey(key) || ended.contains(key),
        "%s of %s is told by %s, and is not in its journal",
        event.type(),
        key,
        machine);
    String what = event.type() + " " + event.outcome();
    TreeMap<Integer, String> before = told.computeIfAbsent(key, first -> new TreeMap<>());
    String same = before.putIfAbsent(event.seq(), what);
    hold(
        same == null || same.equals(what),
        "number %s of %s is told by %s as %s and as %s",
        event.seq(),
        key,
        machine,
        same,
        what);
    if (end) {
      hold(endsForced.contains(key), "the end of %s is told before it is on the disk", key);
      hold(!runs.test(key), "the end of %s is told while it runs on %s", key, machine);
      ends.put(key, event.seq());
    }
    hold(
        !ends.containsKey(key) || before.lastKey() <= ends.get(key),
        "%s of %s is told after its end: %s",
        what,
        key,
        before);
  }

  /** The journal is written anew. */
  void compacts(AgentState before, AgentState after) {
    world.check(
        () ->
            hold(
                names(before).equals(names(after)),
                "the journal of %s is written anew, and holds %s in place of %s",
                machine,
                names(after),
                names(before)));
  }

  /** What an agent holds that starts with it. */
  private static Set<String> names(AgentState state) {
    Set<String> names = new HashSet<>();
    state.held().forEach(one -> names.add(one.job() + "/" + one.attempt() + " " + one.outcome()));
    state.ledger().allocations().forEach(given -> names.add(given.toString()));
    return names;
  }

  private static AttemptKey key(AttemptEvent event) {
    return new AttemptKey(event.job(), event.attempt());
  }
}
