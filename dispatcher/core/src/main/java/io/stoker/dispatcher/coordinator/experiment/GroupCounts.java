package io.stoker.dispatcher.coordinator.experiment;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import java.util.List;

/** Folds the counts of groups. */
public final class GroupCounts {
  /** Groups that are folded apart in one sweep, where all together fail. */
  private static final int APART = 1_000;

  private final Store store;
  private final Isolation<String> groups;

  public GroupCounts(Store store, SetAsides asides) {
    this.store = store;
    groups = asides.isolation("groups", group -> group, this::fold);
  }

  /** Folds what was added since the last time. */
  public Uni<Void> fold() {
    return groups.allOrApart(
        () -> store.transaction("groups", tx -> tx.groups().fold()).replaceWithVoid(),
        () -> store.read(tx -> tx.groups().unfolded(APART)));
  }

  private Uni<Void> fold(List<String> some) {
    return store.transaction("groups", tx -> tx.groups().fold(some)).replaceWithVoid();
  }
}
