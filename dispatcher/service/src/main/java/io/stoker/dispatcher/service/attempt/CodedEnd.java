package io.stoker.dispatcher.service.attempt;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.SetAsideEnd;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.postgres.RequestLoader;
import io.stoker.dispatcher.service.postgres.RequestTable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;

/**
 * Ends requests for which a step fails each time, so that who waits for them is told. What their
 * jobs hold on hosts they hold until that is over there: nothing runs twice for it.
 */
@ApplicationScoped
public class CodedEnd {
  private final Database database;
  private final StatusPublisher statuses;
  private final Wakes wakes;

  CodedEnd(Database database, StatusPublisher statuses, Wakes wakes) {
    this.database = database;
    this.statuses = statuses;
    this.wakes = wakes;
  }

  /** Ends these; what has ended stays as it is. */
  public Uni<Boolean> requests(Collection<String> requests, String step, String reason) {
    return database
        .transaction(
            session ->
                RequestLoader.load(session, requests)
                    .invoke(ledger -> SetAsideEnd.end(ledger, requests, step, reason))
                    .call(ledger -> LedgerWriter.write(session, ledger)))
        .invoke(
            ledger -> {
              wakes.afterEnds(ledger);
              statuses.wake();
            })
        .replaceWith(true);
  }

  /** Ends all requests of a job that have not ended. */
  public Uni<Boolean> job(String job, String step, String reason) {
    return database
        .read(session -> RequestTable.sharing(session, List.of(job)))
        .chain(
            requests ->
                requests.isEmpty()
                    ? Uni.createFrom().item(false)
                    : requests(requests, step, reason));
  }
}
