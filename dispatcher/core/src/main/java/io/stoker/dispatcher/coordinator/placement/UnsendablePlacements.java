package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.Unsendable;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.store.Store;
import java.util.List;

/** Ends jobs whose placements cannot be sent. */
public final class UnsendablePlacements {
  private static final System.Logger LOG = System.getLogger(UnsendablePlacements.class.getName());

  private final Ends ends;

  public UnsendablePlacements(Store store, StatusPublisher statuses, CommitEvents commits) {
    ends = new Ends(store, commits, statuses);
  }

  /** Ends the attempt's job; does nothing where it was told to end before. */
  Uni<Void> end(AttemptRow attempt, String reason) {
    if (attempt.cancelReason() != null) {
      return Uni.createFrom().voidItem();
    }
    LOG.log(
        System.Logger.Level.WARNING, () -> "job %s is ended: %s".formatted(attempt.job(), reason));
    return ends.commit(
        "end unsendable",
        tx -> tx.loadJobs(List.of(attempt.job()), true),
        ledger -> Unsendable.end(ledger, attempt.key(), reason));
  }
}
