package io.stoker.dispatcher.control;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.attempt.Cancellation.Verdict;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.LedgerWriter;
import io.stoker.dispatcher.store.RequestLoader;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** Loads what a cancel needs and writes what it decides. */
@ApplicationScoped
public class ControlTransaction {
  private final Database database;

  ControlTransaction(Database database) {
    this.database = database;
  }

  public Uni<Ledger> cancel(String request, String reason) {
    return database.transaction(
        session ->
            RequestLoader.load(session, List.of(request))
                .invoke(ledger -> cancel(ledger, request, reason))
                .call(ledger -> LedgerWriter.write(session, ledger)));
  }

  private static void cancel(Ledger ledger, String request, String reason) {
    boolean known = ledger.requests().find(request).filter(row -> !row.isPlaceholder()).isPresent();
    Cancellation.cancel(ledger, request, Verdict.cancelled(reason));
    if (known) {
      ledger.publishNamed(request);
    }
  }
}
