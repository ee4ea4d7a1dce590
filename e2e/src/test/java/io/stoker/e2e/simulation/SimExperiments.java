package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.LaneLimit;
import io.stoker.dispatcher.store.Experiments;
import java.util.Collection;
import java.util.Map;

/** No group has a plan. */
record SimExperiments() implements Experiments {
  @Override
  public Uni<Map<String, LaneLimit>> limits(Collection<String> groups) {
    return Uni.createFrom().item(Map.of());
  }
}
