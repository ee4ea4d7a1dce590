package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.experiment.GroupCounts;
import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.LineCounts;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.coordinator.timer.Sweep.Step;
import io.stoker.dispatcher.store.PendingWork;
import java.util.List;

/** What the scheduler does each second beside what jobs wait for. */
public record FurtherSteps(
    UsageBook usage,
    MemoryBook memory,
    SuspectBook suspects,
    GroupCounts groups,
    LineCounts lines,
    ExperimentLifecycle experiments,
    Retention retention) {
  /** In their order. */
  public List<Step> all() {
    return List.of(
        new Step("usage", PendingWork::usage, work -> usage.fold()),
        new Step("memory", PendingWork::memory, work -> memory.fold()),
        new Step(
            "suspects",
            work -> work.launches() || suspects.holdsAnything(),
            work -> suspects.fold()),
        new Step("groups", PendingWork::groups, work -> groups.fold()),
        new Step("line counts", PendingWork::counts, work -> lines.fold()),
        new Step("experiments", PendingWork::experiments, work -> experiments.look()),
        new Step(
            "retention",
            work -> true,
            work -> Uni.createFrom().voidItem().invoke(() -> retention.wake())));
  }
}
