package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports;
import io.stoker.dispatcher.attempt.LongerRun;
import io.stoker.dispatcher.attempt.ReportedEvents;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.e2e.simulation.SimLog.Entry;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Applies what agents tell, as EventsChannel and EventsTransaction. */
final class EventReading {
  private final World world;
  private final SimDatabase database;
  private final Life life;
  private final StatusPublisher statuses;
  private final Refusals refusals;
  private final Consumer<Ledger> follow;

  EventReading(
      World world,
      SimDatabase database,
      Life life,
      StatusPublisher statuses,
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
      ReportedEvents read = ReportedEvents.read((byte[]) one.value(), EventReading::sealed);
      read.flaw().ifPresent(flaw -> world.note(life.name(), "distrusts a record: " + flaw));
      reports.addAll(read.reports());
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
                  new Applied(
                      ledger,
                      AttemptReports.apply(ledger, believed(reports, ledger), Settings.BACKOFF));
              tx.write(ledger);
              return applied;
            })
        .chain(applied -> published(applied, reports));
  }

  private static boolean sealed(String host, byte[] record) {
    return Macs.sealed(Macs.hostKey(Settings.HOST_SECRET, host), record);
  }

  /** If it is enough that a host has signed a record, each event in it is as good as proven. */
  private List<AttemptReport> believed(List<AttemptReport> reports, Ledger ledger) {
    return world.has(Defect.BELIEVE_HOST_KEYS)
        ? reports.stream().map(report -> report.sealed() ? proven(report, ledger) : report).toList()
        : reports;
  }

  private static AttemptReport proven(AttemptReport report, Ledger ledger) {
    AttemptEvent event = report.event();
    return ledger
        .attempts()
        .find(new AttemptRow.Key(event.job(), event.attempt(), 0))
        .map(row -> event.proven(Base64.getDecoder().decode(row.token())))
        .map(known -> new AttemptReport(report.host(), known, Json.tree(known), true))
        .orElse(report);
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
    Must.hold(
        applied.ledger().jobs().all().stream()
            .noneMatch(job -> Strangers.FORGED.equals(job.result())),
        "an end is believed that was forged");
    applied.outcome().refusals().forEach(refusals::refused);
    follow.accept(applied.ledger());
    return statuses.publishNamed(applied.ledger());
  }
}
