package io.stoker.dispatcher.service.attempt;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.AttemptEvent;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.attempt.LongerRun;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.GroupBudgetTable;
import io.stoker.dispatcher.service.postgres.JobLoader;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.postgres.RequestLoader;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Objects;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Loads what {@link AttemptReports} needs and writes what it decides. */
@ApplicationScoped
public class EventsTransaction {
  private final Database database;
  private final Backoff backoff;

  EventsTransaction(Database database, Backoff backoff) {
    this.database = database;
    this.backoff = backoff;
  }

  /** What became of a batch of events. */
  public record Applied(Ledger ledger, AttemptReports.Outcome outcome) {}

  public Uni<Applied> apply(List<AttemptReport> reports) {
    List<String> jobs = reports.stream().map(report -> report.event().job()).distinct().toList();
    boolean ends =
        reports.stream().anyMatch(report -> report.event().type() == AttemptEvent.Type.ENDED);
    return database.transaction(
        "events",
        session ->
            JobLoader.load(session, jobs, ends)
                .call(ledger -> loadBudgets(session, ledger, reports))
                .call(
                    ledger ->
                        RequestLoader.sharing(
                            session, ledger, ends ? LongerRun.sharers(ledger) : List.of()))
                .map(ledger -> new Applied(ledger, AttemptReports.apply(ledger, reports, backoff)))
                .call(applied -> LedgerWriter.writeLast(session, applied.ledger())));
  }

  /** Of what failed, also of a gang whose last member ends: nothing else uses retries. */
  private static Uni<Void> loadBudgets(
      StatelessSession session, Ledger ledger, List<AttemptReport> reports) {
    List<String> groups =
        reports.stream()
            .filter(report -> report.event().outcome() != null)
            .flatMap(
                report ->
                    ledger.jobs().find(report.event().job()).stream()
                        .filter(
                            job ->
                                job.gang() != null
                                    || report.event().outcome() == AttemptEvent.Outcome.FAILED))
            .flatMap(job -> ledger.requests().find(job.firstRequest()).stream())
            .map(RequestRow::group)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    return GroupBudgetTable.lock(session, groups)
        .invoke(ledger.budgets()::loadAll)
        .replaceWithVoid();
  }
}
