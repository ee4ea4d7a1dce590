package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.TimerRow;
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
            tx.write(() -> correct(tx.tables(), byMs));
          }
          return null;
        });
  }

  private void correct(Tables tables, long byMs) {
    tables.clockCorrection += byMs;
    long future = Arrival.first(tx.now() + byMs);
    tables.timers.replaceAll(
        (key, timer) ->
            byMs < 0 && tables.requests.get(key.request()).seq() >= future
                ? new TimerRow(timer.kind(), timer.request(), timer.dueAt() + byMs)
                : timer);
  }
}
