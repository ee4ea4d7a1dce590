package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.store.Backoffs;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Failed jobs that wait before their next attempt. */
record SimBackoffs(SimTransaction tx) implements Backoffs {
  @Override
  public Uni<List<BackoffRow>> due(long now, long far, int most, Collection<String> except) {
    return statement(
        () ->
            tx.tables().backoffs.values().stream()
                .filter(row -> row.dueAt() <= now || row.dueAt() > far)
                .filter(row -> !except.contains(row.job()))
                .sorted(Comparator.comparing(BackoffRow::dueAt))
                .limit(most)
                .toList());
  }

  @Override
  public Uni<Optional<Long>> next() {
    return statement(
        () ->
            tx.has(Defect.FORGET_WAITS)
                ? Optional.empty()
                : tx.tables().backoffs.values().stream().map(BackoffRow::dueAt).min(Long::compare));
  }
}
