package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.PendingWork;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Runs once a second on the replica that schedules, for what no event announces: time-outs, leases
 * that ran out, placements that were not accepted, messages that may have been lost. Each step is
 * done whatever became of those before it.
 */
public final class Sweep {
  /** Sweeps from one that sees to everything, what only grows old too, to the next. */
  private static final int THOROUGH = 60;

  private final SetAsides asides;
  private final List<Step> steps;
  private final Retries retries;
  private final CommitEvents commits;
  private final Runnable tookOver;
  private OptionalLong sweptEpoch = OptionalLong.empty();
  private int sweeps;

  /**
   * A step.
   *
   * @param name under which its failures are shown
   * @param wanted whether what waits is anything for it
   */
  public record Step(
      String name, Predicate<PendingWork> wanted, Function<PendingWork, Uni<Void>> work) {}

  /**
   * @param steps in their order
   * @param tookOver run when this replica has begun to schedule
   */
  public Sweep(
      SetAsides asides,
      List<Step> steps,
      Retries retries,
      CommitEvents commits,
      Runnable tookOver) {
    this.asides = asides;
    this.steps = List.copyOf(steps);
    this.retries = retries;
    this.commits = commits;
    this.tookOver = tookOver;
  }

  /**
   * One sweep.
   *
   * @param epoch under which this replica schedules; if it does not, nothing is done
   * @param found what waits in the store
   */
  public Uni<Void> run(OptionalLong epoch, PendingWork found) {
    // What a former scheduler has seen to, this one has not read.
    sweeps = epoch.equals(sweptEpoch) ? sweeps + 1 : 0;
    sweptEpoch = epoch;
    if (epoch.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    if (sweeps == 0) {
      tookOver.run();
    }
    PendingWork work = sweeps % THOROUGH == 0 ? PendingWork.ALL : found;
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
