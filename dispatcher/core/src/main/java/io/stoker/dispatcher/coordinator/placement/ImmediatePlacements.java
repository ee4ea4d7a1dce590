package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.placement.FleetReader.Rows;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.FleetMemory.Known;
import io.stoker.dispatcher.placement.ImmediatePlacement;
import io.stoker.dispatcher.placement.ImmediatePlacement.Done;
import io.stoker.dispatcher.placement.ImmediatePlacement.Look;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.store.Transaction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Places new jobs where they are taken in; see {@link ImmediatePlacement}. */
public final class ImmediatePlacements {
  private final ImmediateLook looks;
  private final ImmediatePlacement rule;
  private final Snapshots snapshots;
  private final CommittedPlacements placements;

  public ImmediatePlacements(
      ImmediateLook looks,
      ImmediatePlacement rule,
      Snapshots snapshots,
      CommittedPlacements placements) {
    this.looks = looks;
    this.rule = rule;
    this.snapshots = snapshots;
    this.placements = placements;
  }

  /**
   * Looks whether the transaction may place what it takes in.
   *
   * @see ImmediateLook#look
   */
  public Uni<Look> look(Transaction tx, Collection<MemoryKeys> likely) {
    return looks.look(tx, likely);
  }

  /**
   * Places, in the transaction, what the unit of work takes in.
   *
   * @param planned whether a group says what of it may start
   */
  public Uni<Optional<Done>> place(
      Transaction tx, UnitOfWork unit, Look look, Predicate<String> planned) {
    List<QueueHead> heads = look.mayPlace() ? ImmediatePlacement.heads(unit, planned) : List.of();
    Optional<Known> borrowed = rule.borrow(look, heads);
    if (borrowed.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    Known known = borrowed.get();
    List<QueueHead> all = Stream.concat(known.waiting().stream(), heads.stream()).toList();
    Rows rows = new Rows(known.versions(), known.hosts(), known.open());
    return snapshots
        .snapshot(tx, snapshots.fleet(rows, unit.now()), List.of(), all, unit.now())
        // Of none it is known how long it runs: what waits behind slots is for a pass to give.
        .map(snapshot -> rule.place(unit, look, known, snapshot.running(Map.of())));
  }

  /** The transaction has committed: tells the hosts. */
  public void committed(Done done, long now) {
    rule.committed(done);
    placements.publishAtOnce(done.placed(), done.epochs(), now);
  }

  /**
   * The transaction has failed.
   *
   * @return whether it may have, or another one, for what was placed: nothing is, for now
   */
  public boolean failed() {
    return rule.failed();
  }
}
