package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.placement.ImmediatePlacement;
import io.stoker.dispatcher.placement.ImmediatePlacement.Look;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.store.Transaction;
import java.time.Duration;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Looks whether a transaction that takes jobs in may place them; see {@link ImmediatePlacement}.
 */
public final class ImmediateLook {
  /**
   * So long a line that was found long is taken to be so: a batch that gets in line in any case
   * need not hold the fleet's row, which passes want.
   */
  private static final long LONG_NANOS = Duration.ofMillis(100).toNanos();

  private final Environment environment;
  private final Leader leader;
  private final FleetMemory fleet;
  private final MemoryBook memory;
  private final LineReader line;

  /** Until then it is known that too many are in line, in ns. */
  private volatile long lineIsLongUntil;

  public ImmediateLook(
      Environment environment,
      Leader leader,
      FleetMemory fleet,
      MemoryBook memory,
      LineReader line) {
    this.environment = environment;
    this.leader = leader;
    this.fleet = fleet;
    this.memory = memory;
    this.line = line;
    lineIsLongUntil = environment.nanos();
  }

  /**
   * Looks whether the transaction may place what it takes in; to be sent behind its locks. Who
   * holds the fleet's row meanwhile is not waited for.
   *
   * @param likely of what jobs of it the memory is likely to be asked for: it is read beside
   */
  Uni<Look> look(Transaction tx, Collection<MemoryKeys> likely) {
    OptionalLong known = fleet.epoch();
    if (known.isEmpty() || !known.equals(leader.epoch()) || isLineLong()) {
      return Uni.createFrom().item(Look.NOTHING);
    }
    long epoch = known.getAsLong();
    return Uni.combine()
        .all()
        .unis(
            tx.fleet().tryLock(leader.fleet(), epoch),
            line.some(tx, ImmediatePlacement.MOST_IN_LINE),
            tx.hosts().versions(),
            memory.estimates(tx, likely))
        .combinedWith(
            (mine, jobs, versions, estimates) ->
                mine ? new Look(epoch, Set.copyOf(jobs), versions) : Look.NOTHING)
        .invoke(this::note);
  }

  private boolean isLineLong() {
    return environment.nanos() - lineIsLongUntil < 0;
  }

  private void note(Look look) {
    if (look.line().size() >= ImmediatePlacement.MOST_IN_LINE) {
      lineIsLongUntil = environment.nanos() + LONG_NANOS;
    }
  }
}
