package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.leader.LeaderElection;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Runs once a second on each replica: it claims the fleet or renews the claim, checks the clock,
 * and starts the work that waits in the store, by the sweep if it schedules.
 */
public final class Beat {
  private static final long EVERY_MS = 1_000;

  private final Environment environment;
  private final LeaderElection election;
  private final ClockKeeper clock;
  private final PendingLooks pending;
  private final Sweep sweep;
  private final CoalescingTask task;
  private volatile boolean stopped;

  public Beat(
      Environment environment,
      LeaderElection election,
      ClockKeeper clock,
      PendingLooks pending,
      Sweep sweep) {
    this.environment = environment;
    this.election = election;
    this.clock = clock;
    this.pending = pending;
    this.sweep = sweep;
    task = new CoalescingTask("sweep", environment, this::beat);
  }

  /** Beats at once, and each second from now on. */
  public void start() {
    if (!stopped) {
      task.wake();
      environment.timer().schedule(this::start, EVERY_MS, TimeUnit.MILLISECONDS);
    }
  }

  /** No further beats; the one in progress ends by itself. */
  public void stop() {
    stopped = true;
    task.stop();
  }

  private Uni<Boolean> beat() {
    return election
        .renew()
        .call(clock::look) // what is due is looked for by a clock that has not jumped
        .chain(schedules -> pending.look().call(work -> sweep.run(epoch(schedules), work)))
        .invoke(pending::hint)
        .replaceWith(false);
  }

  private OptionalLong epoch(boolean schedules) {
    return schedules ? election.epoch() : OptionalLong.empty();
  }
}
