package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.store.FanOuts;
import java.util.Collection;
import java.util.Optional;

/** Fan-outs that are not worked through yet. */
record SimFanOuts(SimTransaction tx) implements FanOuts {
  @Override
  public Uni<Optional<FanOutRow.Key>> claim(Collection<FanOutRow.Key> except) {
    return statement(() -> tx.claimFanOut(except));
  }

  @Override
  public Uni<Optional<FanOutRow>> lock(FanOutRow.Key key) {
    return statement(() -> tx.lockFanOut(key));
  }
}
