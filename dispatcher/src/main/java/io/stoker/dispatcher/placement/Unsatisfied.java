package io.stoker.dispatcher.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.config.Wakes;
import io.stoker.dispatcher.status.StatusPublisher;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.JobLoader;
import io.stoker.dispatcher.store.LedgerWriter;
import jakarta.enterprise.context.ApplicationScoped;

/** Does what {@link NeverServed} found, in a transaction of its own. */
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

  Uni<Void> follow(Verdicts verdicts) {
    if (verdicts.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return database
        .transaction(
            session ->
                JobLoader.load(session, verdicts.jobs(), true)
                    .invoke(ledger -> Unsatisfiable.apply(ledger, verdicts))
                    .call(ledger -> LedgerWriter.write(session, ledger)))
        .invoke(
            ledger -> {
              wakes.afterEnds(ledger);
              statuses.wake();
            })
        .replaceWithVoid();
  }
}
