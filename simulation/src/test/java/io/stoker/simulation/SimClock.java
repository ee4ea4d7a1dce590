package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.Clock;

/** The clock of all transactions. */
record SimClock(SimTransaction tx) implements Clock {
  @Override
  public Uni<Shown> look() {
    return statement(() -> new Shown(tx.now(), tx.tables().clockCorrection, tx.tables().shown));
  }

  @Override
  public Uni<Void> correct(long byMs) {
    return statement(
        () -> {
          if (!tx.world().has(Defect.FOLLOW_CLOCK)) {
            tx.write(() -> tx.tables().clockCorrection += byMs);
          }
          return null;
        });
  }
}
