package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.coordinator.timer.Sweep.Step;
import io.stoker.dispatcher.store.PendingWork;
import java.util.ArrayList;
import java.util.List;

/** Runs the steps of the sweep that no job waits for. */
public record FurtherSteps(FoldSteps folds, ExperimentLifecycle experiments, Retention retention) {
  /** In their order. */
  public List<Step> all() {
    List<Step> all = new ArrayList<>(folds.all());
    all.add(new Step("experiments", PendingWork::experiments, work -> woken(experiments::wake)));
    all.add(new Step("retention", work -> true, work -> woken(retention::wake)));
    return all;
  }

  /** What may take long is a coalescing task of its own: the fleet is kept meanwhile. */
  private static Uni<Void> woken(Runnable task) {
    return Uni.createFrom().voidItem().invoke(task);
  }
}
