package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.store.Dependencies;
import java.util.Collection;
import java.util.List;

/** Dependencies that are not settled. */
record SimDependencies(SimTransaction tx) implements Dependencies {
  @Override
  public Uni<List<String>> dependedOnAmong(Collection<String> requests) {
    return statement(() -> tx.dependedOnAmong(requests));
  }

  @Override
  public Uni<List<DependencyRow>> on(String request, int limit) {
    return statement(() -> tx.dependenciesOn(request, limit));
  }

  @Override
  public Uni<List<DependencyRow>> neverPosted(Collection<String> requests) {
    return statement(() -> tx.neverPosted(requests));
  }

  @Override
  public Uni<Void> lockCycles() {
    return statement(
        () -> {
          tx.lockCycles();
          return null;
        });
  }

  @Override
  public Uni<List<DependencyRow>> reachableFrom(Collection<String> requests) {
    return statement(() -> tx.reachableFrom(requests));
  }
}
