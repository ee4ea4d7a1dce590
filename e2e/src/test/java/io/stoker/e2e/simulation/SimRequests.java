package io.stoker.e2e.simulation;

import static io.stoker.e2e.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.store.Requests;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The table of requests. */
record SimRequests(SimTransaction tx) implements Requests {
  @Override
  public Uni<List<RequestRow>> lock(Collection<String> ids) {
    return statement(() -> tx.lockRequests(ids));
  }

  @Override
  public Uni<List<RequestRow>> lockSharing(Collection<String> jobs) {
    return statement(() -> tx.lockSharing(jobs));
  }

  @Override
  public Uni<Map<String, String>> specs(Collection<String> ids) {
    return statement(
        () ->
            tx.readRequests(ids).stream()
                .filter(row -> !row.isPlaceholder())
                .collect(Collectors.toMap(RequestRow::id, RequestRow::spec)));
  }

  @Override
  public Uni<List<String>> sharing(Collection<String> jobs) {
    return statement(() -> tx.readSharing(jobs).stream().map(RequestRow::id).toList());
  }
}
