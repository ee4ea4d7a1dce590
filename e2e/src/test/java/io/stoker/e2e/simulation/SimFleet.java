package io.stoker.e2e.simulation;

import static io.stoker.e2e.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.Fleet;
import java.util.Collection;
import java.util.OptionalLong;

/** Who schedules the fleet: there is one. */
record SimFleet(SimTransaction tx) implements Fleet {
  @Override
  public Uni<OptionalLong> lock(String fleet, long epoch) {
    return statement(() -> tx.lockFleet(epoch) ? OptionalLong.of(tx.now()) : OptionalLong.empty());
  }

  @Override
  public Uni<Void> announce(String fleet, Collection<String> requests) {
    return statement(
        () -> {
          tx.announce(requests);
          return null;
        });
  }
}
