package io.stoker.e2e.simulation;

import static io.stoker.e2e.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.dispatcher.store.Statuses;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads what statuses show; little of it can be held at once. */
record SimStatuses(SimTransaction tx) implements Statuses {
  private static final int AT_ONCE = 3;

  @Override
  public Uni<List<List<String>>> slices(Collection<String> requests) {
    return statement(
        () -> {
          List<String> all = List.copyOf(requests);
          List<List<String>> slices = new ArrayList<>();
          for (int from = 0; from < all.size(); from += AT_ONCE) {
            slices.add(all.subList(from, Math.min(all.size(), from + AT_ONCE)));
          }
          return slices;
        });
  }

  @Override
  public Uni<List<RequestStatus>> views(Collection<String> requests) {
    return statement(
        () ->
            tx.readRequests(requests).stream()
                .map(row -> StatusView.of(row, tx.tables().job(row), tx.now()))
                .flatMap(Optional::stream)
                .toList());
  }

  @Override
  public Uni<Map<String, Long>> versionsAbove(Map<String, Long> versions) {
    return statement(
        () -> {
          Map<String, Long> above = new HashMap<>();
          tx.readRequests(versions.keySet()).stream()
              .filter(row -> !row.isPlaceholder())
              .forEach(
                  row -> {
                    long version = StatusView.version(row, tx.tables().job(row));
                    if (version > versions.get(row.id())) {
                      above.put(row.id(), version);
                    }
                  });
          return above;
        });
  }
}
