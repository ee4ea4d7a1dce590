package io.stoker.dispatcher.service.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.GangStart;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.placement.PlacementsPublisher;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.DueStatusTable;
import io.stoker.dispatcher.service.postgres.HostTable;
import io.stoker.dispatcher.service.postgres.JobLoader;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.postgres.StatusQueries;
import io.stoker.dispatcher.timer.SweepRules;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** Sees to attempts whose agents may not have been told something, and closes those in vain. */
@ApplicationScoped
public class UntoldAttempts {
  private final Database database;
  private final HostDirectory directory;
  private final PlacementsPublisher placements;
  private final StatusPublisher statuses;
  private final AgentTeller agents;
  private final Wakes wakes;
  private final SetAsides asides;
  private final long publishAgainMs;
  private final Isolation<String> overdue;
  private final Isolation<SweepRules.Word> words;
  private final Isolation<String> starts;

  UntoldAttempts(
      Database database,
      HostDirectory directory,
      PlacementsPublisher placements,
      StatusPublisher statuses,
      AgentTeller agents,
      Wakes wakes,
      SetAsides asides,
      CodedEnd ends,
      StokerConfig config) {
    this.database = database;
    this.directory = directory;
    this.placements = placements;
    this.statuses = statuses;
    this.agents = agents;
    this.wakes = wakes;
    this.asides = asides;
    publishAgainMs = config.placement().publishAgain().toMillis();
    overdue =
        asides.isolation(
            "overdue attempts",
            job -> job,
            this::close,
            (job, reason) -> ends.job(job, "closing its attempt", reason));
    words = asides.isolation("words to agents", SweepRules.Word::job, this::tell);
    starts = asides.isolation("starts of gangs", job -> job, this::start);
  }

  /** Looks at all. */
  public Uni<Void> chase() {
    return database
        .read(
            session ->
                AttemptTable.untold(session)
                    .chain(
                        open ->
                            open.isEmpty()
                                ? Uni.createFrom().item(open)
                                : Database.now(session).map(now -> older(open, now)))
                    // After them: where their hosts are is what the heartbeats are compared with.
                    .chain(
                        open ->
                            open.isEmpty()
                                ? Uni.createFrom().item(new Untold(open, List.of()))
                                : new HostTable(session).all().map(rows -> new Untold(open, rows))))
        .chain(untold -> untold.attempts().isEmpty() ? Uni.createFrom().voidItem() : chase(untold));
  }

  private List<AttemptRow> older(List<AttemptRow> open, long now) {
    return open.stream().filter(attempt -> attempt.placedAt() + publishAgainMs < now).toList();
  }

  private record Untold(List<AttemptRow> attempts, List<HostRow> hosts) {}

  private Uni<Void> chase(Untold found) {
    List<AttemptRow> untold = found.attempts();
    List<AttemptRow> unaccepted = untold.stream().filter(attempt -> !attempt.accepted()).toList();
    return asides
        .step("closing overdue attempts", () -> overdue.apply(overdue(found)))
        .chain(() -> asides.step("placements", () -> placements.publish(unaccepted)))
        .chain(() -> asides.step("words to agents", () -> words.apply(SweepRules.words(untold))))
        .chain(
            () -> asides.step("starts of gangs", () -> starts.apply(SweepRules.mayStart(untold))))
        .chain(() -> asides.step("statuses of placements", () -> publishPlaced(unaccepted)));
  }

  private List<String> overdue(Untold untold) {
    return untold.attempts().stream()
        .filter(attempt -> overdue(attempt, untold.hosts()))
        .map(AttemptRow::job)
        .distinct()
        .toList();
  }

  private boolean overdue(AttemptRow attempt, List<HostRow> rows) {
    return rows.stream()
        .filter(row -> row.id().equals(attempt.host()))
        .anyMatch(row -> SweepRules.overdue(attempt, row, directory));
  }

  private Uni<Void> close(List<String> jobs) {
    return database
        .transaction(
            session ->
                new HostTable(session)
                    .all()
                    .chain(
                        rows ->
                            JobLoader.load(session, jobs, true)
                                .invoke(
                                    ledger ->
                                        SweepRules.close(
                                            ledger, attempt -> overdue(attempt, rows))))
                    .call(ledger -> LedgerWriter.write(session, ledger)))
        .invoke(this::follow)
        .replaceWithVoid();
  }

  private Uni<Void> tell(List<SweepRules.Word> some) {
    return agents.tell(SweepRules.byHost(some));
  }

  /** Members of gangs whose start may not have reached them. */
  private Uni<Void> start(List<String> jobs) {
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
                    .chain(requests -> new DueStatusTable(session).owe(requests)))
        .invoke(statuses::wake);
  }

  private void follow(Ledger ledger) {
    wakes.afterEnds(ledger);
    statuses.wakeIfOwed(ledger);
  }
}
