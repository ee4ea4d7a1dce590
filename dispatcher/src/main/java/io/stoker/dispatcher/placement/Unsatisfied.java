package io.stoker.dispatcher.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.config.Wakes;
import io.stoker.dispatcher.status.StatusPublisher;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.JobLoader;
import io.stoker.dispatcher.store.LedgerWriter;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;

/** Ends what {@link Unsatisfiable} found, in a transaction of its own. */
@ApplicationScoped
public class Unsatisfied {
  private final Database database;
  private final StatusPublisher statuses;
  private final Wakes wakes;

  Unsatisfied(Database database, StatusPublisher statuses, Wakes wakes) {
    this.database = database;
    this.statuses = statuses;
    this.wakes = wakes;
  }

  Uni<Void> end(Map<String, String> overdue) {
    if (overdue.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return database
        .transaction(
            session ->
                JobLoader.load(session, overdue.keySet(), true)
                    .invoke(ledger -> Unsatisfiable.end(ledger, overdue))
                    .call(ledger -> LedgerWriter.write(session, ledger)))
        .invoke(
            ledger -> {
              wakes.afterEnds(ledger);
              statuses.wake();
            })
        .replaceWithVoid();
  }
}
