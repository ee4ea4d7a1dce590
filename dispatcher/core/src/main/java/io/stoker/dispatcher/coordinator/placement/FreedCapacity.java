package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.placement.FleetReader.Rows;
import io.stoker.dispatcher.coordinator.placement.LineReader.LineView;
import io.stoker.dispatcher.coordinator.placement.PassInTransaction.Loading;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.Transaction;
import java.util.Optional;

/**
 * Gives the room of attempts that end to jobs in line, in the transaction that closes them: a pass,
 * where the fleet is remembered and nobody else places just now. Else a pass of its own follows.
 */
public final class FreedCapacity {
  private final FleetReaders readers;
  private final PassInTransaction passes;
  private final Scheduler scheduler;

  public FreedCapacity(FleetReaders readers, PassInTransaction passes, Scheduler scheduler) {
    this.readers = readers;
    this.passes = passes;
    this.scheduler = scheduler;
  }

  /**
   * The part of one run of a transaction.
   *
   * @param ends whether attempts are likely to end in it
   */
  public Turn turn(boolean ends) {
    Optional<FleetReader> joined = ends && scheduler.hasLine() ? readers.join() : Optional.empty();
    joined.ifPresent(pass -> scheduler.begins());
    return new Turn(joined);
  }

  /**
   * A transaction has failed.
   *
   * @return whether it may have, or another one, for what was placed: nothing is, for now
   */
  public boolean failed() {
    boolean placing = readers.forget();
    tellWhoWaits();
    return placing;
  }

  private void tellWhoWaits() {
    if (readers.takeAwaited()) {
      scheduler.waited();
    }
  }

  /** What a transaction does for jobs in line. */
  public final class Turn {
    private final Optional<FleetReader> fleet;
    private Optional<FleetAndLine> read = Optional.empty();
    private Optional<Passed> passed = Optional.empty();

    private record FleetAndLine(Rows rows, LineView line) {}

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
              .unis(fleet.get().tryLock(tx), fleet.get().read(tx), passes.line(tx))
              .combinedWith(
                  (mine, rows, line) ->
                      mine
                          ? Optional.of(new FleetAndLine(rows, line))
                          : Optional.<FleetAndLine>empty())
              .invoke(found -> read = found)
              .replaceWithVoid();
    }

    /**
     * Places, over the room that the unit of work leaves; not where that tells something of a host.
     */
    public Uni<Void> place(Transaction tx, UnitOfWork ended) {
      if (read.isEmpty()
          || ended.attempts().removed().isEmpty()
          || !ended.launchFailures().isEmpty()) {
        return Uni.createFrom().voidItem();
      }
      Rows rows = read.get().rows().after(ended);
      return PassDecisions.isQuick(rows, read.get().line())
          ? passes
              .pass(tx, rows, read.get().line(), ended.now(), others(tx, ended))
              .invoke(done -> passed = Optional.of(done))
              .replaceWithVoid()
          : Uni.createFrom().voidItem();
    }

    /** What nobody else has; what it has itself is not loaded twice. */
    private Loading others(Transaction tx, UnitOfWork ended) {
      return (unit, jobs) ->
          tx.loadFree(unit, jobs.stream().filter(job -> ended.jobs().find(job).isEmpty()).toList());
    }

    /** The transaction runs once more: what came of this run nobody may know. */
    public void runsAgain() {
      if (fleet.isPresent()) {
        failed();
      }
    }

    /** Writes both, as the last statements. */
    public Uni<Void> writeLast(Transaction tx, UnitOfWork ended) {
      return passed
          .filter(done -> !done.opened().isEmpty())
          .map(done -> tx.writeLast(ended, write(tx, done.unit())))
          .orElseGet(() -> tx.writeLast(ended));
    }

    private Uni<Void> write(Transaction tx, UnitOfWork opened) {
      return Uni.combine()
          .all()
          .unis(tx.write(opened), fleet.orElseThrow().announce(tx, opened))
          .discardItems();
    }

    /**
     * The transaction has committed. Returns whether jobs in line have had what room came of it.
     */
    public boolean committed() {
      passed.ifPresentOrElse(
          done -> passes.remember(done, fleet.orElseThrow()),
          () -> fleet.ifPresent(FleetReader::leave));
      passed.ifPresent(scheduler::joined);
      tellWhoWaits();
      // What of a group with a plan still runs the store knows only now.
      return passed.stream()
          .anyMatch(done -> done.line().stream().allMatch(head -> head.plannedGroup() == null));
    }
  }
}
