package io.stoker.dispatcher.service.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.Unsendable;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.JobLoader;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jboss.logging.Logger;

/** Ends jobs whose placements cannot be sent. */
@ApplicationScoped
public class UnsendablePlacements {
  private static final Logger LOG = Logger.getLogger(UnsendablePlacements.class);

  private final Database database;
  private final StatusPublisher statuses;
  private final Wakes wakes;

  UnsendablePlacements(Database database, StatusPublisher statuses, Wakes wakes) {
    this.database = database;
    this.statuses = statuses;
    this.wakes = wakes;
  }

  /** Ends the attempt's job; does nothing where it was told to end before. */
  Uni<Void> end(AttemptRow attempt, String reason) {
    if (attempt.cancelReason() != null) {
      return Uni.createFrom().voidItem();
    }
    LOG.warnf("job %s is ended: %s", attempt.job(), reason);
    return database
        .transaction(
            session ->
                JobLoader.load(session, List.of(attempt.job()), true)
                    .invoke(ledger -> Unsendable.end(ledger, attempt.key(), reason))
                    .call(ledger -> LedgerWriter.write(session, ledger)))
        .invoke(
            ledger -> {
              wakes.afterEnds(ledger);
              statuses.wake();
            })
        .replaceWithVoid();
  }
}
