package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.Best;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Progress;
import io.stoker.dispatcher.model.GroupLimit;
import io.stoker.dispatcher.store.Experiments;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** No group has a plan, and nobody asks for one. */
record SimExperiments() implements Experiments {
  @Override
  public Uni<List<ExperimentRow>> lockShared(Collection<String> groups) {
    return statement(List::of);
  }

  @Override
  public Uni<Map<String, GroupLimit>> limits(Collection<String> groups) {
    return statement(Map::of);
  }

  @Override
  public Uni<List<Progress>> open() {
    return statement(List::of);
  }

  @Override
  public Uni<Optional<ExperimentRow>> find(String name) {
    return statement(Optional::empty);
  }

  @Override
  public Uni<Optional<ExperimentRow>> lock(String name) {
    throw unwanted();
  }

  @Override
  public Uni<List<Progress>> progress(Collection<String> names) {
    throw unwanted();
  }

  @Override
  public Uni<Optional<String>> madeBy(String message) {
    throw unwanted();
  }

  @Override
  public Uni<Set<String>> taken(String name, boolean anyGroup) {
    throw unwanted();
  }

  @Override
  public Uni<List<String>> chain(String from) {
    throw unwanted();
  }

  @Override
  public Uni<Void> insert(ExperimentRow row, String creation) {
    throw unwanted();
  }

  @Override
  public Uni<Integer> takeLane(String name) {
    throw unwanted();
  }

  @Override
  public Uni<Void> update(ExperimentRow row) {
    throw unwanted();
  }

  @Override
  public Uni<Optional<Best>> best(String group, Objective objective) {
    throw unwanted();
  }

  @Override
  public Uni<List<Member>> unended(String group, boolean waiting, Member after, int most) {
    throw unwanted();
  }

  private static SimulationFailure unwanted() {
    return new SimulationFailure("nobody has made a group with a plan");
  }
}
