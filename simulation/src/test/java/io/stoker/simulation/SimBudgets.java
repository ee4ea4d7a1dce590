package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.GroupBudget;
import io.stoker.dispatcher.store.Budgets;
import java.util.Collection;
import java.util.List;

/** Retries that groups may use; their limits are set before a run. */
record SimBudgets(SimTransaction tx) implements Budgets {
  @Override
  public Uni<List<GroupBudget>> lock(Collection<String> groups) {
    return statement(() -> tx.lockBudgets(groups));
  }

  @Override
  public Uni<Integer> limit(String group, long retries) {
    throw new SimulationFailure("nobody limits a group");
  }
}
