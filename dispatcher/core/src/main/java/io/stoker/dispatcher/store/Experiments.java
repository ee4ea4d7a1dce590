package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.ExperimentRow;
import java.util.Collection;
import java.util.List;

/** Groups with a plan. */
public interface Experiments {
  /** Those of these groups that have a plan; they cannot end before this transaction does. */
  Uni<List<ExperimentRow>> lockShared(Collection<String> groups);
}
