package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.leader.Restoration;
import java.util.Optional;

/** Sees whether a database that was put back has been told again what it has lost. */
record SimRestoration(SimDatabase database, Life life) implements Restoration {
  @Override
  public Uni<Void> look() {
    return database.transaction(
        life,
        tx -> {
          Tables tables = tx.tables();
          if (tables.restored.filter(one -> one.replayed().getAsBoolean()).isPresent()) {
            tx.owe(tables.restored.get().owed());
            tx.write(() -> tables.restored = Optional.empty());
          }
          return null;
        });
  }

  @Override
  public void over() {}
}
