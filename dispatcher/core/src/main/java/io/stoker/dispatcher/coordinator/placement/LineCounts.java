package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.Store;

/** Folds the counts of queues' lines. */
public record LineCounts(Store store) {
  /** Folds what was added since the last time. */
  public Uni<Void> fold() {
    return store.transaction("line counts", tx -> tx.line().foldCounts()).replaceWithVoid();
  }
}
