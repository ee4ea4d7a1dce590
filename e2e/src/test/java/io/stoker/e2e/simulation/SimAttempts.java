package io.stoker.e2e.simulation;

import static io.stoker.e2e.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.store.Attempts;
import java.util.List;

/** Open attempts. */
record SimAttempts(SimTransaction tx) implements Attempts {
  @Override
  public Uni<List<AttemptRow>> all() {
    return statement(
        () ->
            tx.allAttempts().stream()
                .filter(row -> row.gpuMemory() == null || !tx.passHas(Defect.FORGET_SHARERS))
                .map(row -> tx.passHas(Defect.FORGET_HOST_MEMORY) ? row.promised(null) : row)
                .toList());
  }
}
