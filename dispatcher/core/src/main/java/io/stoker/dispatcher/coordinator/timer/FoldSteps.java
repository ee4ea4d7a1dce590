package io.stoker.dispatcher.coordinator.timer;

import io.stoker.dispatcher.coordinator.experiment.GroupCounts;
import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.LineCounts;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.coordinator.timer.Sweep.Step;
import io.stoker.dispatcher.store.PendingWork;
import java.util.List;

/** Lists the steps of the sweep that sum up what transactions have added. */
public record FoldSteps(
    UsageBook usage,
    MemoryBook memory,
    SuspectBook suspects,
    GroupCounts groups,
    LineCounts lines) {
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
        new Step("line counts", PendingWork::counts, work -> lines.fold()));
  }
}
