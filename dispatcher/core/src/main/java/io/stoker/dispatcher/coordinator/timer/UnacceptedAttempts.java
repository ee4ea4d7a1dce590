package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import java.util.List;
import java.util.function.Function;

/** Publishes placements again that no agent has accepted, and their statuses. */
public final class UnacceptedAttempts {
  private final Store store;
  private final Function<List<AttemptRow>, Uni<Void>> placements;
  private final StatusPublisher statuses;
  private final SetAsides asides;

  /**
   * @param placements publishes those of these that are still open and not accepted
   */
  public UnacceptedAttempts(
      Store store,
      Function<List<AttemptRow>, Uni<Void>> placements,
      StatusPublisher statuses,
      SetAsides asides) {
    this.store = store;
    this.placements = placements;
    this.statuses = statuses;
    this.asides = asides;
  }

  Uni<Void> publish(List<AttemptRow> unaccepted) {
    return asides
        .step("placements", () -> placements.apply(unaccepted))
        .chain(() -> asides.step("statuses of placements", () -> publishPlaced(unaccepted)));
  }

  /** The attempt's row owes the status of its placement, too, as long as it is not accepted. */
  private Uni<Void> publishPlaced(List<AttemptRow> unaccepted) {
    List<String> jobs = unaccepted.stream().map(AttemptRow::job).toList();
    return store
        .transaction(
            "statuses of placements",
            tx -> tx.statuses().firstRequests(jobs).chain(tx.owedStatuses()::owe))
        .invoke(statuses::wake);
  }
}
