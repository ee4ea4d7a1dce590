package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.GangStart;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.lease.Draining;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.TimerRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.timer.SweepRules;
import io.stoker.dispatcher.timer.TimeOuts;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the scheduler does each second, as Sweep. */
final class Sweeping {
  private static final int TIMERS_AT_ONCE = 4;

  private final World world;
  private final SimDatabase database;
  private final Wire wire;
  private final HostDirectory directory;
  private final HostAnswers hosts;
  private final Placements placements;
  private final StatusPublisher statuses;
  private final AgentTeller agents;
  private final Consumer<Ledger> follow;
  private final Isolation<TimerRow.Key> timers;

  Sweeping(
      World world,
      SimDatabase database,
      Wire wire,
      HostDirectory directory,
      HostAnswers hosts,
      Placements placements,
      StatusPublisher statuses,
      AgentTeller agents,
      SetAsides asides,
      CodedEnd ends,
      Consumer<Ledger> follow) {
    timers =
        asides.isolation(
            "timers",
            Sweeping::name,
            this::apply,
            (timer, reason) -> ends.requests(List.of(timer.request()), "timers", reason));
    this.world = world;
    this.database = database;
    this.wire = wire;
    this.directory = directory;
    this.hosts = hosts;
    this.placements = placements;
    this.statuses = statuses;
    this.agents = agents;
    this.follow = follow;
  }

  Uni<Void> run() {
    return timers()
        .chain(this::expireLeases)
        .chain(this::closeLeft)
        .chain(this::drainHosts)
        .chain(this::settleHosts)
        .chain(this::chaseUntold);
  }

  private Uni<Void> timers() {
    return database
        .transaction(
            wire.life(),
            tx ->
                due(tx)
                    .filter(timer -> !timers.waiting().contains(name(timer.key())))
                    .limit(TIMERS_AT_ONCE)
                    .map(TimerRow::key)
                    .toList())
        .chain(timers::apply);
  }

  private static Stream<TimerRow> due(SimTransaction tx) {
    return tx.tables().timers.values().stream()
        .filter(timer -> timer.dueAt() <= tx.now())
        .sorted(Comparator.comparing(TimerRow::dueAt));
  }

  private static String name(TimerRow.Key timer) {
    return timer.kind() + " " + timer.request();
  }

  private Uni<Void> apply(List<TimerRow.Key> some) {
    return database
        .transaction(
            wire.life(),
            tx -> {
              List<TimerRow> due = due(tx).filter(timer -> some.contains(timer.key())).toList();
              List<String> requests = some.stream().map(TimerRow.Key::request).distinct().toList();
              Ledger ledger = Loads.requests(tx, requests);
              TimeOuts.apply(
                  ledger,
                  due,
                  tx.neverPosted(requests).stream()
                      .distinct()
                      .collect(
                          Collectors.toMap(DependencyRow::dependent, DependencyRow::dependsOn)));
              tx.write(ledger);
              return ledger;
            })
        .invoke(follow)
        .replaceWithVoid();
  }

  private record Leased(Map<String, Long> epochs, Map<String, Long> outages) {}

  private Uni<Void> expireLeases() {
    return database
        .transaction(
            wire.life(),
            tx ->
                new Leased(
                    SweepRules.leased(tx.allHosts(), tx.allAttempts()),
                    SweepRules.outages(tx.allHosts())))
        .chain(
            all -> {
              Map<String, Long> leased = all.epochs();
              List<String> expired = directory.expired(leased, all.outages());
              boolean costsRetry = SweepRules.costsRetry(expired, leased.keySet());
              Uni<Void> lost = Uni.createFrom().voidItem();
              for (String host : expired) {
                world.note(wire.life().name(), "takes " + host + " for lost");
                lost = lost.chain(() -> hosts.lose(host, leased.get(host), costsRetry));
              }
              return lost;
            });
  }

  private Uni<Void> closeLeft() {
    return database
        .transaction(
            wire.life(), tx -> SweepRules.leftBehind(tx.allHosts(), tx.allAttempts(), directory))
        .chain(
            due -> {
              Uni<Void> all = Uni.createFrom().voidItem();
              for (String host : due) {
                all = all.chain(() -> hosts.closeLeft(host));
              }
              return all;
            });
  }

  private Uni<Void> drainHosts() {
    return database
        .transaction(wire.life(), tx -> Draining.waiting(tx.allHosts(), tx.allAttempts()))
        .chain(
            waiting -> {
              Uni<Void> all = Uni.createFrom().voidItem();
              for (String host : waiting) {
                all = all.chain(() -> hosts.drain(host));
              }
              return all;
            });
  }

  private Uni<Void> settleHosts() {
    return database
        .transaction(
            wire.life(), tx -> SweepRules.settled(tx.allHosts(), tx.allAttempts(), directory))
        .chain(
            settled -> {
              Uni<Void> all = Uni.createFrom().voidItem();
              for (String host : settled) {
                world.note(wire.life().name(), host + " is settled");
                all = all.chain(() -> hosts.settle(host));
              }
              return all;
            });
  }

  private record Untold(List<AttemptRow> attempts, List<HostRow> hosts) {}

  private Uni<Void> chaseUntold() {
    return database
        .transaction(wire.life(), tx -> new Untold(untold(tx), tx.allHosts()))
        .chain(
            untold ->
                untold.attempts().isEmpty()
                    ? Uni.createFrom().voidItem()
                    : closeOverdue(untold).chain(() -> tellAgain(untold.attempts())));
  }

  private static List<AttemptRow> untold(SimTransaction tx) {
    return tx.allAttempts().stream()
        .filter(
            row -> !row.accepted() || row.cancelReason() != null || ofGangThatDoesNotRun(tx, row))
        .filter(row -> row.placedAt() + Settings.PUBLISH_AGAIN < tx.now())
        .toList();
  }

  private static boolean ofGangThatDoesNotRun(SimTransaction tx, AttemptRow row) {
    return row.state() == AttemptRow.State.ACCEPTED
        && tx.tables().jobs.get(row.job()).gang() != null;
  }

  private boolean overdue(AttemptRow attempt, List<HostRow> rows) {
    return world.has(Defect.CLOSE_BY_TIME_ALONE)
        ? !attempt.accepted() && attempt.notAfter() < world.databaseNow()
        : rows.stream()
            .filter(row -> row.id().equals(attempt.host()))
            .anyMatch(row -> SweepRules.overdue(attempt, row, directory));
  }

  private Uni<Void> closeOverdue(Untold untold) {
    Predicate<AttemptRow> overdue = attempt -> overdue(attempt, untold.hosts());
    List<String> jobs = untold.attempts().stream().filter(overdue).map(AttemptRow::job).toList();
    if (jobs.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return database
        .transaction(
            wire.life(),
            tx -> {
              Ledger ledger = Loads.jobs(tx, jobs, true);
              SweepRules.close(ledger, overdue);
              tx.write(ledger);
              return ledger;
            })
        .invoke(follow)
        .replaceWithVoid();
  }

  private Uni<Void> tellAgain(List<AttemptRow> untold) {
    List<AttemptRow> unaccepted = untold.stream().filter(row -> !row.accepted()).toList();
    return placements
        .publish(unaccepted)
        .chain(() -> agents.tell(SweepRules.byHost(SweepRules.words(untold))))
        .chain(() -> startAgain(SweepRules.mayStart(untold)))
        .chain(() -> publishPlaced(unaccepted));
  }

  private Uni<Void> startAgain(List<String> jobs) {
    if (jobs.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return database
        .transaction(
            wire.life(),
            tx -> {
              Ledger ledger = Loads.jobs(tx, jobs, false);
              GangStart.tellAll(ledger);
              return ledger;
            })
        .invoke(follow)
        .replaceWithVoid();
  }

  private Uni<Void> publishPlaced(List<AttemptRow> unaccepted) {
    return database
        .transaction(
            wire.life(),
            tx -> {
              tx.owe(
                  unaccepted.stream()
                      .map(row -> Optional.ofNullable(tx.tables().jobs.get(row.job())))
                      .flatMap(Optional::stream)
                      .map(JobRow::firstRequest)
                      .toList());
              return true;
            })
        .invoke(statuses::wake)
        .replaceWithVoid();
  }
}
