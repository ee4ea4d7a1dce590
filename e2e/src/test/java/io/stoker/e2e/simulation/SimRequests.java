package io.stoker.e2e.simulation;

import static io.stoker.e2e.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.store.Requests;
import java.util.Collection;
import java.util.List;

/** The requests. */
record SimRequests(SimTransaction tx) implements Requests {
  @Override
  public Uni<List<String>> sharing(Collection<String> jobs) {
    return statement(() -> tx.readSharing(jobs).stream().map(RequestRow::id).toList());
  }
}
