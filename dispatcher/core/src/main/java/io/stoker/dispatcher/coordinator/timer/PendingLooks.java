package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Rationed;
import io.stoker.dispatcher.store.PendingWork;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;

/** Looks what waits in the store, and wakes those whose work it is on each replica. */
public final class PendingLooks {
  private final Store store;
  private final KeyWatch keys;
  private final CommitEvents commits;
  private final StatusPublisher statuses;
  private final Rationed looks;
  private PendingWork last = PendingWork.ALL;

  public PendingLooks(
      Environment environment,
      Store store,
      KeyWatch keys,
      CommitEvents commits,
      StatusPublisher statuses) {
    this.store = store;
    this.keys = keys;
    this.commits = commits;
    this.statuses = statuses;
    looks = environment.rationed();
  }

  /** What waits. */
  Uni<PendingWork> look() {
    return store.read(tx -> keys.look(tx).chain(() -> pending(tx)));
  }

  private Uni<PendingWork> pending(Transaction tx) {
    return looks.isDue()
        ? looks.made(tx::pending).invoke(found -> last = found)
        : Uni.createFrom().item(last);
  }

  /** Whoever schedules: fan-outs and statuses are any replica's work. */
  void hint(PendingWork work) {
    if (work.fanOuts()) {
      commits.fanOutWanted();
    }
    if (work.statuses()) {
      statuses.wake();
    }
  }
}
