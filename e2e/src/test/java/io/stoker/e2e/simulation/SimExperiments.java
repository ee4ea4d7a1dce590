package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.ledger.LaneLimit;
import io.stoker.dispatcher.store.Experiments;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** No group has a plan. */
record SimExperiments() implements Experiments {
  @Override
  public Uni<List<ExperimentRow>> lockShared(Collection<String> groups) {
    return Uni.createFrom().item(List.of());
  }

  @Override
  public Uni<Map<String, LaneLimit>> limits(Collection<String> groups) {
    return Uni.createFrom().item(Map.of());
  }
}
