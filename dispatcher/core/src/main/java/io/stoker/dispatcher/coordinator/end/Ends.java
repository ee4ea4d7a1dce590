package io.stoker.dispatcher.coordinator.end;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.function.Consumer;
import java.util.function.Function;

/** Ends requests or jobs in a transaction of its own; then those who go on from there are woken. */
public final class Ends {
  private final Store store;
  private final CommitEvents commits;
  private final StatusPublisher statuses;

  public Ends(Store store, CommitEvents commits, StatusPublisher statuses) {
    this.store = store;
    this.commits = commits;
    this.statuses = statuses;
  }

  /**
   * Ends some.
   *
   * @param name of the transaction
   * @param load what is to end, with all that its end touches
   * @param end decides, on what was loaded
   */
  public Uni<Void> commit(
      String name, Function<Transaction, Uni<Ledger>> load, Consumer<Ledger> end) {
    return store
        .transaction(name, tx -> load.apply(tx).invoke(end).call(tx::write))
        .invoke(
            ledger -> {
              commits.afterEnds(ledger);
              statuses.wake();
            })
        .replaceWithVoid();
  }
}
