package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.coordinator.leader.Leadership;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.runtime.Rationed;
import io.stoker.dispatcher.store.PendingWork;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * What a replica does each second by itself: it claims the fleet or keeps it, looks at the clock,
 * and has what waits in the store seen to, by the sweep if it schedules.
 */
public final class Beat {
  private static final long EVERY_MS = 1_000;

  /** Sweeps from one that sees to everything, what only grows old too, to the next. */
  private static final int THOROUGH = 60;

  private final Environment environment;
  private final Store store;
  private final Leadership leadership;
  private final ClockKeeper clock;
  private final Sweep sweep;
  private final KeyWatch keys;
  private final CommitEvents commits;
  private final StatusPublisher statuses;
  private final Runnable tookOver;
  private final Pump pump;
  private final Rationed looks;
  private volatile boolean stopped;
  private PendingWork last = PendingWork.ALL;
  private OptionalLong sweptEpoch = OptionalLong.empty();
  private int sweeps;

  /**
   * @param tookOver run when this replica has begun to schedule
   */
  public Beat(
      Environment environment,
      Store store,
      Leadership leadership,
      ClockKeeper clock,
      Sweep sweep,
      KeyWatch keys,
      CommitEvents commits,
      StatusPublisher statuses,
      Runnable tookOver) {
    this.environment = environment;
    this.store = store;
    this.leadership = leadership;
    this.clock = clock;
    this.sweep = sweep;
    this.keys = keys;
    this.commits = commits;
    this.statuses = statuses;
    this.tookOver = tookOver;
    looks = environment.rationed();
    pump = new Pump("sweep", environment, this::beat);
  }

  /** Beats at once, and each second from now on. */
  public void start() {
    if (!stopped) {
      pump.wake();
      environment.timer().schedule(this::start, EVERY_MS, TimeUnit.MILLISECONDS);
    }
  }

  /** No further beats; the one in progress ends by itself. */
  public void stop() {
    stopped = true;
    pump.stop();
  }

  private Uni<Boolean> beat() {
    return leadership
        .renew()
        .call(clock::look) // what is due is looked for by a clock that has not jumped
        .chain(
            schedules ->
                store
                    .read(tx -> keys.look(tx).chain(() -> pending(tx)))
                    .call(work -> sweep(schedules, work)))
        .invoke(this::hint)
        .replaceWith(false);
  }

  private Uni<PendingWork> pending(Transaction tx) {
    return looks.isDue()
        ? looks.made(tx::pending).invoke(found -> last = found)
        : Uni.createFrom().item(last);
  }

  private Uni<Void> sweep(boolean schedules, PendingWork work) {
    OptionalLong epoch = schedules ? leadership.epoch() : OptionalLong.empty();
    // What a former scheduler has seen to, this one has not read.
    sweeps = epoch.equals(sweptEpoch) ? sweeps + 1 : 0;
    if (epoch.isPresent() && sweeps == 0) {
      tookOver.run();
    }
    sweptEpoch = epoch;
    return epoch.isEmpty()
        ? Uni.createFrom().voidItem()
        : sweep.run(sweeps % THOROUGH == 0 ? PendingWork.ALL : work);
  }

  private void hint(PendingWork work) {
    if (work.fanOuts()) {
      commits.fanOutWanted();
    }
    if (work.statuses()) {
      statuses.wake();
    }
  }
}
