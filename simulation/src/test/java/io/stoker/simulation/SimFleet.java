package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Takeover;
import io.stoker.dispatcher.model.Takeover.Claimed;
import io.stoker.dispatcher.model.Takeover.Look;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.store.Fleet;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** Who schedules the fleet: there is one. */
record SimFleet(SimTransaction tx) implements Fleet {
  @Override
  public Uni<Boolean> restoring() {
    return statement(() -> tx.tables().restored.isPresent());
  }

  @Override
  public Uni<Look> claim(String fleet, String replica, long termMs, Takeover before, long nowMs) {
    return statement(
        () -> {
          Tables tables = tx.tables();
          tx.lockFleet(0);
          boolean mine = tables.scheduler.equals(replica);
          Claimed known = new Claimed(tables.fleetEpoch, tables.heldUntil);
          boolean lapsed =
              tx.has(Defect.CLAIM_BY_DATABASE_CLOCK)
                  ? tables.heldUntil < tx.now()
                  : before.lapsed(nowMs, termMs).filter(known::equals).isPresent()
                      || tables.heldUntil == 0
                      || before.started() && tables.heldUntil < tx.now();
          if (!mine && !lapsed) {
            return new Look(fleet, false, known);
          }
          Claimed claim = new Claimed(tables.fleetEpoch + (mine ? 0 : 1), tx.now() + termMs);
          tx.write(
              () -> {
                tables.fleetEpoch = claim.epoch();
                tables.scheduler = replica;
                tables.heldUntil = claim.renewed();
                tables.shown = mine ? tx.now() : Math.max(tables.shown, tx.now());
              });
          return new Look(fleet, true, claim);
        });
  }

  @Override
  public Uni<Void> forgetOthers(String fleet) {
    return Uni.createFrom().voidItem();
  }

  @Override
  public Uni<OptionalLong> lock(String fleet, long epoch) {
    return statement(() -> tx.lockFleet(epoch) ? OptionalLong.of(tx.now()) : OptionalLong.empty());
  }

  @Override
  public Uni<Boolean> tryLock(String fleet, long epoch) {
    return statement(
        () -> tx.has(Defect.PLACE_WITHOUT_FLEET) || tx.fleetIsFree() && tx.lockFleet(epoch));
  }

  @Override
  public Uni<Void> announce(String fleet, Collection<String> requests) {
    return statement(
        () -> {
          tx.announce(requests);
          return null;
        });
  }

  /** Nobody shows it. */
  @Override
  public Uni<Void> reserve(String fleet, long epoch, List<Reservation> claims) {
    return Uni.createFrom().voidItem();
  }

  @Override
  public Uni<Void> oweAnnounced(String fleet) {
    return statement(
        () -> {
          tx.owe(tx.tables().announced);
          return null;
        });
  }

  @Override
  public Uni<Integer> release(String fleet, String replica) {
    return statement(
        () -> {
          boolean mine = tx.tables().scheduler.equals(replica);
          if (mine) {
            tx.write(() -> tx.tables().heldUntil = 0);
          }
          return mine ? 1 : 0;
        });
  }
}
