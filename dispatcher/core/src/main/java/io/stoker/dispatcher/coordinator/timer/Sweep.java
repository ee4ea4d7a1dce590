package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.PendingWork;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What the scheduler does each second because no event would: time-outs, leases that ran out,
 * placements that were not accepted, messages that may have been lost. Each step is done whatever
 * became of those before it.
 */
public final class Sweep {
  private final SetAsides asides;
  private final List<Step> steps = new ArrayList<>();
  private final Retries retries;
  private final CommitEvents commits;

  /**
   * A step.
   *
   * @param name under which its failures are shown
   * @param wanted whether what waits is anything for it
   */
  public record Step(
      String name, Predicate<PendingWork> wanted, Function<PendingWork, Uni<Void>> work) {}

  /**
   * @param further what is done each second beside what jobs wait for
   */
  public Sweep(
      SetAsides asides,
      DueTimers timers,
      HostSweep hosts,
      UntoldAttempts untold,
      List<Step> further,
      Retries retries,
      CommitEvents commits) {
    this.asides = asides;
    this.retries = retries;
    this.commits = commits;
    steps.add(new Step("timers", PendingWork::timers, work -> timers.run()));
    steps.add(new Step("hosts", work -> true, work -> hosts.look(work.attempts())));
    steps.add(new Step("untold attempts", PendingWork::attempts, work -> untold.chase()));
    steps.addAll(further);
  }

  /**
   * One sweep.
   *
   * @param work what waits in the store
   */
  public Uni<Void> run(PendingWork work) {
    return InOrder.each(
            steps.stream().filter(step -> step.wanted().test(work)).toList(),
            step -> asides.step(step.name(), () -> step.work().apply(work)))
        .invoke(() -> hint(work));
  }

  private void hint(PendingWork work) {
    if (work.backoff()) {
      retries.look();
    }
    if (work.line()) {
      commits.capacityChanged();
    } else if (work.attempts()) {
      commits.timePassed();
    }
  }
}
