package io.stoker.dispatcher.coordinator.fairshare;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.model.UsageRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps the use of ended attempts for the scheduler: the store's figures as of the last fold, and
 * what this replica's own transactions have added since. What another replica adds is seen with the
 * next fold.
 */
public final class UsageBook {
  private final Store store;
  private final Decay decay;
  private final Isolation<String> queues;
  private final Map<String, Usage> byQueue = new HashMap<>();

  public UsageBook(Store store, Decay decay, SetAsides asides) {
    queues = asides.isolation("usage", queue -> queue, this::fold);
    this.store = store;
    this.decay = decay;
  }

  public Collection<Usage> ended() {
    return ended(List.of());
  }

  /**
   * What has ended, in a transaction that has not committed.
   *
   * @param besides what ends in it
   */
  public synchronized Collection<Usage> ended(Collection<UsageRow> besides) {
    return List.copyOf(Usage.plus(byQueue.values(), besides, decay));
  }

  /** Folds what all replicas have added, and reads the sums. */
  public Uni<Void> fold() {
    return queues
        .allOrApart(
            () ->
                store.transaction(
                    "fold usage", tx -> tx.now().chain(now -> tx.queueUsage().fold(decay, now))),
            () -> store.read(tx -> tx.queueUsage().unfolded()))
        .chain(() -> store.read(tx -> tx.queueUsage().all()))
        .invoke(this::folded)
        .replaceWithVoid();
  }

  private Uni<Void> fold(List<String> some) {
    return store.transaction(
        "fold usage", tx -> tx.now().chain(now -> tx.queueUsage().fold(decay, now, some)));
  }

  /** Adds what a transaction has. */
  public synchronized void note(UnitOfWork committed) {
    if (!committed.usage().isEmpty()) {
      folded(ended(committed.usage()));
    }
  }

  private synchronized void folded(Collection<Usage> all) {
    byQueue.clear();
    all.forEach(usage -> byQueue.put(usage.queue(), usage));
  }
}
