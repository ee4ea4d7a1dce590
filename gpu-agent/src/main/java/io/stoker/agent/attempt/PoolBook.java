package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.PoolKept;
import io.stoker.agent.pool.Closing;
import io.stoker.agent.pool.PoolMemory;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.message.AttemptEvent.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What the journal knows of pools: what they were told, and how many of their jobs have ended. */
final class PoolBook {
  private final Map<String, PoolMemory> known = new TreeMap<>();

  private PoolMemory of(String pool) {
    return known.getOrDefault(pool, PoolMemory.NONE);
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

  List<JournalEntry> snapshot() {
    List<JournalEntry> entries = new ArrayList<>();
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
    for (PoolSettings one : settings) {
      long begun =
          live.stream()
              .filter(attempt -> one.name().equals(attempt.place().pool()))
              .filter(attempt -> !(attempt.phase() instanceof Phase.Waiting))
              .count();
      pools.add(one, of(one.name()), (int) begun);
    }
    return pools;
  }
}
