package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.placement.FleetReader.Rows;
import io.stoker.dispatcher.coordinator.placement.LineReader.Seen;
import io.stoker.dispatcher.coordinator.placement.PlacementTransaction.Loading;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.store.Transaction;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Gives the room of attempts that end to jobs in line, in the transaction that closes them: a pass,
 * where the fleet is remembered and nobody else places just now. Else a pass of its own follows.
 */
public final class FreedRoom {
  private final Leader leader;
  private final FleetMemory memory;
  private final PlacementTransaction passes;
  private final Scheduler scheduler;

  public FreedRoom(
      Leader leader, FleetMemory memory, PlacementTransaction passes, Scheduler scheduler) {
    this.leader = leader;
    this.memory = memory;
    this.passes = passes;
    this.scheduler = scheduler;
  }

  /**
   * The part of one run of a transaction.
   *
   * @param ends whether attempts are likely to end in it
   */
  public Turn turn(boolean ends) {
    OptionalLong epoch = leader.epoch();
    return new Turn(
        ends && epoch.isPresent() && scheduler.hasLine()
            ? passes.join(epoch.getAsLong())
            : Optional.empty());
  }

  /**
   * A transaction has failed.
   *
   * @return whether it may have, or another one, for what was placed: nothing is, for now
   */
  public boolean failed() {
    boolean placing = memory.forget();
    tellWhoWaits();
    return placing;
  }

  private void tellWhoWaits() {
    if (memory.takeAwaited()) {
      scheduler.waited();
    }
  }

  /** What a transaction does for jobs in line. */
  public final class Turn {
    private final Optional<FleetReader> fleet;
    private Optional<Read> read = Optional.empty();
    private Optional<Passed> passed = Optional.empty();

    private record Read(Rows rows, Seen line) {}

    private Turn(Optional<FleetReader> fleet) {
      this.fleet = fleet;
    }

    /**
     * Looks for the fleet and the line; to be sent behind the transaction's locks. Who holds the
     * fleet's row meanwhile is not waited for.
     */
    public Uni<Void> look(Transaction tx) {
      return fleet.isEmpty()
          ? Uni.createFrom().voidItem()
          : Uni.combine()
              .all()
              .unis(fleet.get().tryLock(tx, leader.fleet()), fleet.get().read(tx), passes.line(tx))
              .combinedWith(
                  (mine, rows, line) ->
                      mine ? Optional.of(new Read(rows, line)) : Optional.<Read>empty())
              .invoke(found -> read = found)
              .replaceWithVoid();
    }

    /** Places, over the room that the ledger leaves; not where that tells something of a host. */
    public Uni<Void> place(Transaction tx, Ledger ended) {
      if (read.isEmpty()
          || ended.attempts().removed().isEmpty()
          || !ended.launchFailures().isEmpty()) {
        return Uni.createFrom().voidItem();
      }
      Rows rows = read.get().rows().after(ended);
      return passes.isQuick(rows, read.get().line())
          ? passes
              .within(tx, rows, read.get().line(), ended.now(), others(tx, ended))
              .invoke(done -> passed = Optional.of(done))
              .replaceWithVoid()
          : Uni.createFrom().voidItem();
    }

    /** What nobody else has; what it has itself is not loaded twice. */
    private Loading others(Transaction tx, Ledger ended) {
      return (ledger, jobs) ->
          tx.loadFree(
              ledger, jobs.stream().filter(job -> ended.jobs().find(job).isEmpty()).toList());
    }

    /** Writes both, as the last statements. */
    public Uni<Void> writeLast(Transaction tx, Ledger ended) {
      return passed
          .filter(done -> !done.opened().isEmpty())
          .map(done -> tx.writeLast(ended, passes.write(tx, done.ledger())))
          .orElseGet(() -> tx.writeLast(ended));
    }

    /**
     * The transaction has committed.
     *
     * @return whether jobs in line have had what room came of it
     */
    public boolean committed() {
      passed.ifPresentOrElse(
          done -> passes.remember(done, fleet.orElseThrow()),
          () -> fleet.ifPresent(FleetReader::leave));
      passed.ifPresent(scheduler::joined);
      tellWhoWaits();
      // What of a group with a plan still runs the store knows only now.
      return passed.stream()
          .anyMatch(done -> done.line().stream().allMatch(head -> head.lane() == null));
    }
  }
}
