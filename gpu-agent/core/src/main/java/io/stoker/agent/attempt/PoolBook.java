package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.PoolKept;
import io.stoker.agent.attempt.JournalEntry.PoolsSet;
import io.stoker.agent.device.Device;
import io.stoker.agent.pool.Closing;
import io.stoker.agent.pool.PoolMemory;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent.SetPools;
import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.common.message.Workload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The journal's knowledge of pools: which ones kinds declare, what they were told, and how many of
 * their jobs have ended.
 */
final class PoolBook {
  private final Map<String, PoolMemory> known = new TreeMap<>();

  private Optional<SetPools> set = Optional.empty();

  /** The epoch of this start in which it was told so. */
  private OptionalLong toldIn = OptionalLong.empty();

  PoolMemory of(String pool) {
    return known.getOrDefault(pool, PoolMemory.NONE);
  }

  /** The devices that this host had then; empty if this start was told nothing yet. */
  private Optional<List<Device>> toldWith = Optional.empty();

  /**
   * Whether no newer ones were told in this epoch.
   *
   * @param devices that the host has now
   */
  boolean newest(long generation, OptionalLong epoch, List<Device> devices) {
    if (epoch.equals(toldIn) && set.filter(last -> last.generation() > generation).isPresent()) {
      return false;
    }
    toldIn = epoch;
    toldWith = Optional.of(devices);
    return true;
  }

  /**
   * Which ones it was told last; empty if that has to be told again: for other devices they are
   * others.
   *
   * @param devices that the host has now
   */
  OptionalLong generation(List<Device> devices) {
    return toldWith.equals(Optional.of(devices))
        ? set.stream().mapToLong(SetPools::generation).findAny()
        : OptionalLong.empty();
  }

  void set(SetPools pools) {
    set = Optional.of(pools);
  }

  /** What kinds declared here last. */
  Optional<SetPools> set() {
    return set;
  }

  void kept(PoolKept kept) {
    known.put(
        kept.pool(),
        new PoolMemory(
            kept.session(),
            Optional.ofNullable(kept.closing()),
            kept.processed(),
            kept.failed(),
            kept.crashes()));
  }

  void ended(String pool, Outcome outcome) {
    known.put(pool, of(pool).left(failed(outcome)));
  }

  /** Whether an attempt that ends so counts as failed. */
  static boolean failed(Outcome outcome) {
    return outcome == Outcome.FAILED || outcome == Outcome.LOST;
  }

  /** What the journal is to know of a pool that remembers this. */
  PoolKept entry(String pool, int session, Optional<Closing> closing, long crashes) {
    PoolMemory now = of(pool);
    return new PoolKept(
        pool, session, closing.orElse(null), now.processed(), now.failed(), crashes);
  }

  /** What the journal is to know of a pool that begins anew, with the counts of its name. */
  PoolKept opened(String pool) {
    PoolMemory now = of(pool);
    return entry(pool, now.session(), Optional.empty(), now.crashes());
  }

  List<JournalEntry> snapshot() {
    List<JournalEntry> entries = new ArrayList<>();
    set.ifPresent(pools -> entries.add(new PoolsSet(pools)));
    known.forEach(
        (pool, memory) ->
            entries.add(entry(pool, memory.session(), memory.closing(), memory.crashes())));
    return entries;
  }

  /**
   * The pools of an agent that starts.
   *
   * @param live its attempts that have not ended
   * @param start random, of this start of the agent
   */
  WorkerPools open(List<PoolSettings> settings, Collection<LiveAttempt> live, String start) {
    WorkerPools pools = new WorkerPools(start);
    settings.forEach(one -> add(pools, one, Optional.empty(), live));
    for (WorkerPool one : set.map(SetPools::pools).orElse(List.of())) {
      if (!pools.own(one.name())) {
        PoolDeclarations.usable(one)
            .ifPresent(pool -> add(pools, pool, Optional.of(one.kind()), live));
      }
    }
    return pools;
  }

  private void add(
      WorkerPools pools,
      PoolSettings settings,
      Optional<String> kind,
      Collection<LiveAttempt> live) {
    pools.add(settings, kind, of(settings.name()), begun(settings.name(), live));
  }

  private static int begun(String pool, Collection<LiveAttempt> live) {
    return (int)
        live.stream()
            .filter(
                attempt ->
                    attempt.workload() instanceof Workload.PoolTask task
                        && task.pool().equals(pool))
            .filter(attempt -> !(attempt.phase() instanceof Phase.Waiting))
            .count();
  }
}
