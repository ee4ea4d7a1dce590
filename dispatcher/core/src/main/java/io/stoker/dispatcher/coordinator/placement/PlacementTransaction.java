package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One placement pass: snapshot, decide, write, under the lock and epoch of the fleet. */
public final class PlacementTransaction {
  private final Store store;
  private final Leader leader;
  private final FleetReaders readers;
  private final PassInTransaction passes;

  /** Of the reservations, which others were told of. */
  private volatile Reserved told = new Reserved(-1, List.of());

  public PlacementTransaction(
      Store store, Leader leader, FleetReaders readers, PassInTransaction passes) {
    this.store = store;
    this.leader = leader;
    this.readers = readers;
    this.passes = passes;
  }

  /** Reservations of an epoch, as all replicas show them. */
  private record Reserved(long epoch, List<Reservation> reservations) {}

  /** Whether a pass is to wait for one within another transaction. */
  boolean isToWait() {
    return readers.isToWait();
  }

  /** Runs a pass; nothing if this replica does not schedule. */
  public Uni<Optional<Passed>> pass() {
    return readers.begin().map(this::pass).orElseGet(() -> Uni.createFrom().item(Optional.empty()));
  }

  private Uni<Optional<Passed>> pass(FleetReader fleet) {
    return store
        .once("pass", tx -> pass(tx, fleet))
        .invoke(
            passed ->
                passed.ifPresentOrElse(
                    done -> {
                      told = reserved(fleet, done);
                      passes.remember(done, fleet);
                    },
                    readers::forget))
        .onFailure()
        .invoke(readers::forget);
  }

  private Uni<Optional<Passed>> pass(Transaction tx, FleetReader fleet) {
    return Uni.combine()
        .all()
        .unis(fleet.lock(tx), fleet.read(tx), passes.line(tx))
        .asTuple()
        .chain(
            read -> {
              OptionalLong now = read.getItem1();
              if (now.isEmpty()) {
                leader.lost();
                return Uni.createFrom().item(Optional.<Passed>empty());
              }
              return passes
                  .pass(tx, read.getItem2(), read.getItem3(), now.getAsLong(), tx::loadQueued)
                  .call(done -> tell(tx, fleet, done.decision().reservations()))
                  .call(done -> writeLast(tx, fleet, done))
                  .map(Optional::of);
            });
  }

  private static Reserved reserved(FleetReader fleet, Passed done) {
    return new Reserved(fleet.epoch(), done.decision().reservations());
  }

  /** Seldom: a reservation stays as it is from one pass to the next. */
  private Uni<Void> tell(Transaction tx, FleetReader fleet, List<Reservation> now) {
    List<Reservation> before = told.epoch() == fleet.epoch() ? told.reservations() : List.of();
    return before.equals(now) ? Uni.createFrom().voidItem() : fleet.reserve(tx, now);
  }

  private static Uni<Void> writeLast(Transaction tx, FleetReader fleet, Passed done) {
    return done.opened().isEmpty()
        ? Uni.createFrom().voidItem()
        : tx.writeLast(done.unit(), fleet.announce(tx, done.unit()));
  }
}
