package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.ledger.LaneLimit;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Groups with a plan. */
public interface Experiments {
  /** Those of these groups that have a plan; they cannot end before this transaction does. */
  Uni<List<ExperimentRow>> lockShared(Collection<String> groups);

  /** How many more jobs of these groups may be placed; those without a plan are left out. */
  Uni<Map<String, LaneLimit>> limits(Collection<String> groups);
}
