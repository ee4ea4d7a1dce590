package io.stoker.dispatcher.coordinator.end;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.function.Consumer;
import java.util.function.Function;

/** Ends requests or jobs in a transaction of its own; then those who go on from there are woken. */
public final class Ends {
  private final Store store;
  private final CommitFollowUp followUp;

  public Ends(Store store, CommitFollowUp followUp) {
    this.store = store;
    this.followUp = followUp;
  }

  /**
   * Ends some.
   *
   * @param name of the transaction
   * @param load what is to end, with all that its end touches
   * @param end decides, on what was loaded
   */
  public Uni<Void> commit(
      String name, Function<Transaction, Uni<UnitOfWork>> load, Consumer<UnitOfWork> end) {
    return store
        .transaction(name, tx -> load.apply(tx).invoke(end).call(tx::write))
        .invoke(this::follow)
        .replaceWithVoid();
  }

  /** Wakes those who go on from the ends that a transaction has committed. */
  public void follow(UnitOfWork committed) {
    followUp.afterOwedEnds(committed);
  }
}
