package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.AttemptEvent;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports;
import io.stoker.dispatcher.attempt.LongerRun;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.e2e.simulation.SimLog.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Applies what agents tell, as EventsChannel and EventsTransaction. */
final class EventReading {
  private final World world;
  private final SimDatabase database;
  private final Life life;
  private final Statuses statuses;
  private final Refusals refusals;
  private final Consumer<Ledger> follow;

  EventReading(
      World world,
      SimDatabase database,
      Life life,
      Statuses statuses,
      Refusals refusals,
      Consumer<Ledger> follow) {
    this.world = world;
    this.database = database;
    this.life = life;
    this.statuses = statuses;
    this.refusals = refusals;
    this.follow = follow;
  }

  private record Applied(Ledger ledger, AttemptReports.Outcome outcome) {}

  Uni<Void> read(List<Entry> batch) {
    List<AttemptReport> reports = new ArrayList<>();
    for (Entry one : batch) {
      reports.add((AttemptReport) one.value());
    }
    List<String> jobs = reports.stream().map(report -> report.event().job()).distinct().toList();
    boolean ends =
        reports.stream().anyMatch(report -> report.event().type() == AttemptEvent.Type.ENDED);
    return database
        .transaction(
            life,
            tx -> {
              Ledger ledger = Loads.jobs(tx, jobs, ends);
              ledger.budgets().loadAll(tx.lockBudgets(groups(ledger)));
              ledger
                  .requests()
                  .loadAll(tx.lockSharing(ends ? LongerRun.sharers(ledger) : List.of()));
              Applied applied =
                  new Applied(ledger, AttemptReports.apply(ledger, reports, Settings.BACKOFF));
              tx.write(ledger);
              return applied;
            })
        .chain(applied -> published(applied, reports));
  }

  private static List<String> groups(Ledger ledger) {
    return ledger.jobs().all().stream()
        .flatMap(job -> ledger.requests().find(job.firstRequest()).stream())
        .map(RequestRow::group)
        .filter(Objects::nonNull)
        .toList();
  }

  private Uni<Void> published(Applied applied, List<AttemptReport> reports) {
    for (AttemptReports.Distrusted distrusted : applied.outcome().distrusted()) {
      world.note(life.name(), "distrusts: " + distrusted.reason());
    }
    reports.stream()
        .filter(report -> report.event().type() == AttemptEvent.Type.ENDED)
        .filter(report -> report.event().outcome() != AttemptEvent.Outcome.RETURNED)
        .forEach(report -> refusals.changed(report.host()));
    applied.outcome().refusals().forEach(refusals::refused);
    follow.accept(applied.ledger());
    return statuses.publishNamed(applied.ledger());
  }
}
