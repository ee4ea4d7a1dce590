package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.FleetReader.Rows;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.placement.FleetMemory.Known;
import io.stoker.dispatcher.placement.Head;
import io.stoker.dispatcher.placement.ImmediatePlacement;
import io.stoker.dispatcher.placement.ImmediatePlacement.Done;
import io.stoker.dispatcher.placement.ImmediatePlacement.Look;
import io.stoker.dispatcher.placement.Pace;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.store.Transaction;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Places new jobs where they are taken in; see {@link ImmediatePlacement}. */
public final class ImmediatePlacements {
  /**
   * So long a line that was found long is taken to be so: a batch that gets in line in any case
   * need not hold the fleet's row, which passes want.
   */
  private static final long LONG_NANOS = Duration.ofMillis(100).toNanos();

  private final Environment environment;
  private final Leader leader;
  private final FleetMemory fleet;
  private final ImmediatePlacement rule;
  private final Snapshots snapshots;
  private final MemoryBook memory;
  private final PlacementsPublisher placements;
  private final LineReader line;
  private final Pace pace;
  private final PlacementListener listener;

  /** Until then it is known that too many are in line, in ns. */
  private volatile long lineIsLongUntil;

  public ImmediatePlacements(
      Environment environment,
      Leader leader,
      FleetMemory fleet,
      ImmediatePlacement rule,
      Snapshots snapshots,
      MemoryBook memory,
      PlacementsPublisher placements,
      LineReader line,
      Pace pace,
      PlacementListener listener) {
    this.environment = environment;
    this.leader = leader;
    this.fleet = fleet;
    this.rule = rule;
    this.snapshots = snapshots;
    this.memory = memory;
    this.placements = placements;
    this.line = line;
    this.pace = pace;
    this.listener = listener;
    lineIsLongUntil = environment.nanos();
  }

  /**
   * Looks whether the transaction may place what it takes in; to be sent behind its locks. Who
   * holds the fleet's row meanwhile is not waited for.
   *
   * @param likely of what jobs of it the memory is likely to be asked for: it is read beside
   */
  public Uni<Look> look(Transaction tx, Collection<MemoryKeys> likely) {
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

  /**
   * Places, in the transaction, what the ledger takes in.
   *
   * @param planned whether a group says what of it may start
   */
  public Uni<Optional<Done>> place(
      Transaction tx, Ledger ledger, Look look, Predicate<String> planned) {
    List<Head> heads = look.mayPlace() ? ImmediatePlacement.heads(ledger, planned) : List.of();
    Optional<Known> borrowed = rule.borrow(look, heads);
    if (borrowed.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    Known known = borrowed.get();
    List<Head> all = Stream.concat(known.waiting().stream(), heads.stream()).toList();
    Rows rows = new Rows(known.versions(), known.hosts(), known.open());
    return snapshots
        .snapshot(tx, snapshots.fleet(rows, ledger.now()), List.of(), all, ledger.now())
        // Of none it is known how long it runs: what waits behind slots is for a pass to give.
        .map(snapshot -> rule.place(ledger, look, known, snapshot.running(Map.of())));
  }

  /** The transaction has committed: tells the hosts. The attempts' rows are the outbox. */
  public void committed(Done done, long now) {
    rule.committed(done);
    listener.placedAtOnce(done.placed().opened().size());
    pace.started(done.placed().opened(), now);
    placements
        .publish(done.placed(), done.epochs())
        .subscribe()
        .with(told -> {}, error -> environment.failed("publishing placements", error));
  }

  /**
   * The transaction has failed.
   *
   * @return whether it may have, or another one, for what was placed: nothing is, for now
   */
  public boolean failed() {
    return fleet.forget();
  }
}
