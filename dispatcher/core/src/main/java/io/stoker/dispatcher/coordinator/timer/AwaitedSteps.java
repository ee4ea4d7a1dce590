package io.stoker.dispatcher.coordinator.timer;

import io.stoker.dispatcher.coordinator.timer.Sweep.Step;
import io.stoker.dispatcher.store.PendingWork;
import java.util.List;

/** Lists the steps of the sweep that jobs wait for. */
public record AwaitedSteps(DueTimers timers, HostSweep hosts, UntoldAttempts untold) {
  /** In their order. */
  public List<Step> all() {
    return List.of(
        new Step("timers", PendingWork::timers, work -> timers.run()),
        new Step("hosts", work -> true, work -> hosts.look(work.attempts())),
        new Step("untold attempts", PendingWork::attempts, work -> untold.chase()));
  }
}
