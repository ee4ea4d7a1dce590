package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.retention.Aged;
import io.stoker.dispatcher.store.OldRows;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** A run is shorter than anything is kept: nothing is old, but hosts that are away. */
record SimOldRows(SimTransaction tx) implements OldRows {
  private static final int AT_ONCE = 3;

  @Override
  public Uni<List<Aged>> requests(long after, long until, long before, int limit) {
    return statement(List::of);
  }

  @Override
  public Uni<List<Aged>> jobs(String after, long before, int limit) {
    return statement(
        () ->
            tx.tables().jobs.values().stream()
                .filter(job -> job.id().compareTo(after) > 0)
                .sorted(Comparator.comparing(JobRow::id))
                .limit(AT_ONCE)
                .map(job -> new Aged(job.id(), job.asked().seq(), false))
                .toList());
  }

  @Override
  public Uni<Integer> deleteStops(long now, long before, int most) {
    return statement(() -> 0);
  }

  @Override
  public Uni<Integer> dropGroups(long before) {
    return statement(() -> 0);
  }

  @Override
  public Uni<Integer> unlistHosts(long before) {
    return statement(
        () -> {
          tx.write(() -> tx.tables().hosts.values().forEach(this::unlist));
          return 0;
        });
  }

  private void unlist(HostRow host) {
    Tables tables = tx.tables();
    boolean open = tables.attempts.values().stream().anyMatch(row -> row.host().equals(host.id()));
    if (host.state() != HostRow.State.UP && !host.unsettled() && !open) {
      tables.unlisted.add(host.id());
    }
  }

  @Override
  public Uni<List<String>> named(Collection<String> requests) {
    throw unwanted();
  }

  @Override
  public Uni<List<String>> waitedFor(Collection<String> requests) {
    throw unwanted();
  }

  @Override
  public Uni<Integer> delete(Collection<String> requests) {
    throw unwanted();
  }

  @Override
  public Uni<Integer> deletePlaceholders(Collection<String> ids) {
    throw unwanted();
  }

  @Override
  public Uni<Integer> forget(Collection<String> jobs, long before) {
    throw unwanted();
  }

  @Override
  public Uni<Integer> drop(Collection<String> jobs, long before) {
    throw unwanted();
  }

  private static SimulationFailure unwanted() {
    return new SimulationFailure("something is dropped that is not old");
  }
}
