package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.dispatcher.store.Statuses;
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
    return statement(() -> SimStatements.slices(List.copyOf(requests), AT_ONCE));
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

  @Override
  public Uni<List<String>> firstRequests(Collection<String> jobs) {
    return statement(
        () -> tx.readJobs(jobs).stream().map(job -> job.asked().firstRequest()).toList());
  }
}
