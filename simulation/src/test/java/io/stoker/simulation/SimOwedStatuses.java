package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.OwedStatuses;
import java.util.Collection;
import java.util.List;

/** Statuses that are owed; few of them can be held at once. */
record SimOwedStatuses(SimTransaction tx) implements OwedStatuses {
  private static final int AT_ONCE = 4;

  @Override
  public Uni<Some> some(int limit, Collection<String> except) {
    return statement(
        () -> {
          List<Due> owed =
              tx.tables().due.entrySet().stream()
                  .filter(row -> !except.contains(row.getKey()))
                  .limit(Math.min(limit, AT_ONCE))
                  .map(row -> new Due(row.getKey(), row.getValue(), null))
                  .toList();
          return new Some(owed, owed.size() == AT_ONCE);
        });
  }

  @Override
  public Uni<Void> owe(List<String> requests) {
    return statement(
        () -> {
          tx.owe(requests);
          return null;
        });
  }

  @Override
  public Uni<Void> settle(List<Due> published) {
    return statement(
        () -> {
          tx.write(
              () ->
                  published.forEach(
                      due -> tx.tables().due.remove(due.request(), (Long) due.marked())));
          return null;
        });
  }
}
