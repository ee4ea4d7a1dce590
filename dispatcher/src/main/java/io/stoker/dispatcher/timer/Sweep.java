package io.stoker.dispatcher.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.GangStart;
import io.stoker.dispatcher.config.StokerConfig;
import io.stoker.dispatcher.config.Wakes;
import io.stoker.dispatcher.experiment.Experiments;
import io.stoker.dispatcher.fairshare.UsageBook;
import io.stoker.dispatcher.lease.AgentTeller;
import io.stoker.dispatcher.lease.Draining;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.HostRow;
import io.stoker.dispatcher.lease.HostService;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.TimerRow;
import io.stoker.dispatcher.memory.MemoryBook;
import io.stoker.dispatcher.placement.PlacementsPublisher;
import io.stoker.dispatcher.placement.SuspectBook;
import io.stoker.dispatcher.report.ReportMailer;
import io.stoker.dispatcher.status.StatusPublisher;
import io.stoker.dispatcher.store.AttemptTable;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.DependencyTable;
import io.stoker.dispatcher.store.DueStatusTable;
import io.stoker.dispatcher.store.GroupTable;
import io.stoker.dispatcher.store.HostTable;
import io.stoker.dispatcher.store.JobLoader;
import io.stoker.dispatcher.store.LedgerWriter;
import io.stoker.dispatcher.store.PendingWork;
import io.stoker.dispatcher.store.RequestLoader;
import io.stoker.dispatcher.store.StatusQueries;
import io.stoker.dispatcher.store.TimerTable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What the scheduler does each second because no event would: time-outs, leases that ran out,
 * placements that were not accepted, messages that may have been lost.
 */
@ApplicationScoped
public class Sweep {
  private static final int TIMERS_AT_ONCE = 500;

  private final Database database;
  private final HostDirectory directory;
  private final HostService hosts;
  private final PlacementsPublisher placements;
  private final StatusPublisher statuses;
  private final AgentTeller agents;
  private final Wakes wakes;
  private final UsageBook usage;
  private final MemoryBook memory;
  private final SuspectBook suspects;
  private final Retries retries;
  private final Experiments experiments;
  private final ReportMailer mailer;
  private final long publishAgainMs;

  Sweep(
      Database database,
      HostDirectory directory,
      HostService hosts,
      PlacementsPublisher placements,
      StatusPublisher statuses,
      AgentTeller agents,
      Wakes wakes,
      UsageBook usage,
      MemoryBook memory,
      SuspectBook suspects,
      Retries retries,
      Experiments experiments,
      ReportMailer mailer,
      StokerConfig config) {
    this.database = database;
    this.directory = directory;
    this.hosts = hosts;
    this.placements = placements;
    this.statuses = statuses;
    this.agents = agents;
    this.wakes = wakes;
    this.usage = usage;
    this.memory = memory;
    this.suspects = suspects;
    this.retries = retries;
    this.experiments = experiments;
    this.mailer = mailer;
    publishAgainMs = config.placement().publishAgain().toMillis();
  }

  /**
   * One sweep.
   *
   * @param work what waits in the database
   */
  public Uni<Void> run(PendingWork work) {
    return when(work.timers(), this::runOut)
        .chain(() -> lookAtHosts(work.attempts()))
        .chain(() -> when(work.attempts(), this::chaseUntold))
        .chain(() -> when(work.usage(), usage::fold))
        .chain(() -> when(work.memory(), memory::fold))
        .chain(() -> when(work.launches() || suspects.holdsAnything(), suspects::fold))
        .chain(() -> when(work.groups(), this::foldGroups))
        .chain(() -> when(work.experiments(), experiments::look))
        .chain(mailer::look)
        .invoke(() -> hint(work));
  }

  private static Uni<Void> when(boolean wanted, Supplier<Uni<Void>> step) {
    return wanted ? step.get() : Uni.createFrom().voidItem();
  }

  private void hint(PendingWork work) {
    if (work.backoff()) {
      retries.look();
    }
    if (work.line()) {
      wakes.capacityChanged();
    }
  }

  private Uni<Void> foldGroups() {
    return database.transaction(GroupTable::fold).replaceWithVoid();
  }

  private Uni<Void> runOut() {
    return database
        .transaction(
            session ->
                TimerTable.due(session, TIMERS_AT_ONCE)
                    .chain(
                        due ->
                            RequestLoader.load(
                                    session, due.stream().map(TimerRow::request).toList())
                                .call(
                                    ledger ->
                                        DependencyTable.neverPosted(
                                                session,
                                                due.stream().map(TimerRow::request).toList())
                                            .invoke(
                                                waits ->
                                                    TimeOuts.apply(ledger, due, byRequest(waits))))
                                .call(ledger -> LedgerWriter.write(session, ledger))))
        .invoke(this::follow)
        .replaceWithVoid();
  }

  private static Map<String, String> byRequest(List<DependencyRow> waits) {
    return waits.stream()
        .collect(Collectors.toMap(DependencyRow::dependent, DependencyRow::dependsOn));
  }

  private record Fleet(List<HostRow> hosts, List<AttemptRow> open) {}

  /** Gives up hosts whose leases ran out, then empties those that are to be empty by now. */
  private Uni<Void> lookAtHosts(boolean attempts) {
    return database
        .read(
            session ->
                HostTable.all(session)
                    .chain(
                        rows ->
                            (attempts ? AttemptTable.all(session) : none())
                                .map(open -> new Fleet(rows, open))))
        .chain(
            fleet ->
                expireLeases(
                        SweepRules.leased(fleet.hosts(), fleet.open()),
                        SweepRules.outages(fleet.hosts()))
                    .chain(() -> each(SweepRules.dead(fleet.hosts()), hosts::bury))
                    .chain(
                        () -> each(Draining.waiting(fleet.hosts(), fleet.open()), hosts::drain)));
  }

  private static Uni<List<AttemptRow>> none() {
    return Uni.createFrom().item(List.of());
  }

  private Uni<Void> expireLeases(Map<String, Long> leased, Map<String, Long> outages) {
    List<String> expired = directory.expired(leased.keySet(), outages);
    boolean costsRetry = SweepRules.costsRetry(expired, leased.keySet());
    return each(expired, host -> hosts.lose(host, leased.get(host), costsRetry));
  }

  private static Uni<Void> each(List<String> hosts, Function<String, Uni<Void>> step) {
    Uni<Void> all = Uni.createFrom().voidItem();
    for (String host : hosts) {
      all = all.chain(() -> step.apply(host));
    }
    return all;
  }

  private Uni<Void> chaseUntold() {
    return database
        .read(
            session ->
                AttemptTable.untold(session)
                    .chain(
                        open ->
                            open.isEmpty()
                                ? Uni.createFrom().item(open)
                                : Database.now(session).map(now -> older(open, now))))
        .chain(
            untold ->
                untold.isEmpty()
                    ? Uni.createFrom().voidItem()
                    : closeOverdue(untold).chain(() -> tellAgain(untold)));
  }

  private List<AttemptRow> older(List<AttemptRow> open, long now) {
    return open.stream().filter(attempt -> attempt.placedAt() + publishAgainMs < now).toList();
  }

  private Uni<Void> closeOverdue(List<AttemptRow> untold) {
    List<String> jobs = untold.stream().filter(this::overdue).map(AttemptRow::job).toList();
    if (jobs.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return database
        .transaction(
            session ->
                JobLoader.load(session, jobs, true)
                    .invoke(ledger -> SweepRules.close(ledger, this::overdue))
                    .call(ledger -> LedgerWriter.write(session, ledger)))
        .invoke(this::follow)
        .replaceWithVoid();
  }

  private boolean overdue(AttemptRow attempt) {
    return SweepRules.overdue(attempt, directory);
  }

  private Uni<Void> tellAgain(List<AttemptRow> untold) {
    List<AttemptRow> unaccepted = untold.stream().filter(attempt -> !attempt.accepted()).toList();
    return placements
        .publish(unaccepted)
        .chain(() -> agents.tell(SweepRules.cancels(untold)))
        .chain(() -> agents.tell(SweepRules.answers(untold)))
        .chain(() -> startAgain(SweepRules.mayStart(untold)))
        .chain(() -> publishPlaced(unaccepted));
  }

  /** Members of gangs whose start may not have reached them. */
  private Uni<Void> startAgain(List<String> jobs) {
    if (jobs.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return database
        .transaction(session -> JobLoader.load(session, jobs, false).invoke(GangStart::tellAll))
        .invoke(this::follow)
        .replaceWithVoid();
  }

  /** The attempt's row owes the status of its placement, too, as long as it is not accepted. */
  private Uni<Void> publishPlaced(List<AttemptRow> unaccepted) {
    List<String> jobs = unaccepted.stream().map(AttemptRow::job).toList();
    return database
        .transaction(
            session ->
                StatusQueries.firstRequests(session, jobs)
                    .chain(requests -> DueStatusTable.owe(session, requests)))
        .invoke(statuses::wake);
  }

  private void follow(Ledger ledger) {
    wakes.afterEnds(ledger);
    if (!ledger.due().isEmpty()) {
      statuses.wake();
    }
  }
}
