package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dependency.CycleCheck;
import io.stoker.dispatcher.dependency.FanOut;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.LeaseBook;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.Ids;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Refusals;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.e2e.simulation.SimLog.Entry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A dispatcher replica, from its start to its death: the real deciders, in the order of effects of
 * the real shells.
 */
final class SimDispatcher implements Wire {
  private final World world;
  private final Life life;
  private final SimDatabase database;
  private final Statuses statuses;
  private final AgentTelling agents;
  private final Placements placements;
  private final Refusals refusals = new Refusals();
  private final Sweeping sweeping;
  private final Waits waits;
  private final Intake intake;
  private final Settlement settlement;
  private final SimPump scheduler;
  private final SimPump fanOuts;
  private final SimPump beat;
  private OptionalLong fleetEpoch = OptionalLong.empty();

  SimDispatcher(World world, Life life, SimDatabase database, SimLog log, Ids ids) {
    this.world = world;
    this.life = life;
    this.database = database;
    Binding binding = new Binding(ids);
    intake = new Intake(binding);
    settlement = new Settlement(binding);
    HostDirectory directory =
        new HostDirectory(new LeaseBook(Settings.LEASE, Settings.MARGIN), world::now);
    statuses = new Statuses(world, database, log, this);
    agents = new AgentTelling(world, database, log, this, directory);
    placements =
        new Placements(
            database, this, directory, refusals, new Placing(ids, Settings.ACCEPT_WITHIN), agents);
    scheduler = new SimPump(world, life, this::pass);
    fanOuts = new SimPump(world, life, this::fanOut);
    HostAnswers hosts =
        new HostAnswers(
            database, this, directory, refusals, agents, () -> fleetEpoch, this::afterHosts);
    sweeping =
        new Sweeping(
            world,
            database,
            this,
            directory,
            hosts,
            placements,
            statuses,
            agents,
            this::afterSweep);
    waits = new Waits(world, database, this, this::afterIntake);
    beat = new SimPump(world, life, this::onBeat);
    new HeartbeatReading(
            world, log, life, directory, hosts, () -> fleetEpoch.isPresent(), scheduler::wake)
        .start();
    tick();
  }

  @Override
  public Life life() {
    return life;
  }

  boolean schedules() {
    return fleetEpoch.isPresent();
  }

  // --- what wakes whom, as Wakes

  private void after(Ledger ledger, boolean place) {
    waits.note(ledger);
    if (place) {
      scheduler.wake();
    }
    if (!ledger.fanOuts().all().isEmpty()) {
      fanOuts.wake();
    }
    if (!ledger.told().isEmpty()) {
      agents.tell(ledger);
    }
  }

  private void afterIntake(Ledger ledger) {
    after(ledger, !ledger.madeReady().isEmpty());
  }

  private void afterEnds(Ledger ledger) {
    boolean freed = !ledger.attempts().removed().isEmpty();
    after(ledger, freed || !ledger.madeReady().isEmpty());
  }

  private void afterHosts(Ledger ledger) {
    afterEnds(ledger);
    scheduler.wake();
    statuses.wake();
  }

  private void afterSweep(Ledger ledger) {
    afterEnds(ledger);
    if (!ledger.due().isEmpty()) {
      statuses.wake();
    }
  }

  // --- requests, as RequestsChannel and IntakeTransaction

  private record Accepted(Ledger ledger, List<Refusal> refusals) {}

  Uni<Void> requests(List<Entry> batch) {
    List<JobRequest> requests = batch.stream().map(one -> (JobRequest) one.value()).toList();
    return database
        .transaction(life, tx -> accept(tx, requests))
        .chain(
            accepted -> {
              afterIntake(accepted.ledger());
              return statuses
                  .publishNamed(accepted.ledger())
                  .chain(() -> refuse(accepted.refusals()));
            });
  }

  private Accepted accept(SimTransaction tx, List<JobRequest> batch) {
    Set<String> ids = new LinkedHashSet<>();
    Set<String> waitedFor = new LinkedHashSet<>();
    for (JobRequest request : batch) {
      ids.add(request.id());
      ids.addAll(request.dependsOn());
      waitedFor.addAll(request.dependsOn());
    }
    CycleCheck edges = new CycleCheck();
    if (!waitedFor.isEmpty()) {
      tx.lockCycles();
      for (DependencyRow row : tx.reachableFrom(waitedFor)) {
        edges.add(row.dependent(), List.of(row.dependsOn()));
      }
    }
    Ledger ledger = new Ledger(tx.now());
    List<String> fingerprints =
        batch.stream()
            .filter(request -> request.dependsOn().isEmpty())
            .map(request -> Binding.fingerprint(request, List.of()))
            .flatMap(Optional::stream)
            .distinct()
            .toList();
    tx.shareJobsByFingerprint(fingerprints).forEach(ledger::loadJob);
    ledger.requests().loadAll(tx.lockRequests(ids));
    List<Refusal> refusals = intake.accept(ledger, batch, edges);
    tx.write(ledger);
    return new Accepted(ledger, refusals);
  }

  private Uni<Void> refuse(List<Refusal> refusals) {
    List<RequestStatus> rejected = new ArrayList<>();
    for (Refusal refusal : refusals) {
      if (refusal instanceof Refusal.Cycle cycle) {
        String reason = "would close the cycle " + cycle.path();
        String id = cycle.request().id();
        rejected.add(StatusView.rejected(id, Code.DEPENDENCY_CYCLE, reason, world.databaseNow()));
      }
    }
    return rejected.isEmpty() ? Uni.createFrom().voidItem() : statuses.publishRejected(rejected);
  }

  // --- control, as ControlChannel and ControlTransaction

  Uni<Void> control(List<Entry> batch) {
    Uni<Void> all = Uni.createFrom().voidItem();
    for (Entry one : batch) {
      all = all.chain(() -> cancel((ControlMessage.Cancel) one.value()));
    }
    return all;
  }

  private Uni<Void> cancel(ControlMessage.Cancel cancel) {
    String request = cancel.request();
    return database
        .transaction(
            life,
            tx -> {
              Ledger ledger = Loads.requests(tx, List.of(request));
              boolean known =
                  ledger.requests().find(request).filter(row -> !row.isPlaceholder()).isPresent();
              Cancellation.cancel(ledger, request, Cancellation.Verdict.cancelled(cancel.reason()));
              if (known) {
                ledger.publishNamed(request);
              }
              tx.write(ledger);
              return ledger;
            })
        .invoke(this::afterEnds)
        .chain(statuses::publishNamed);
  }

  // --- events, as EventsChannel and EventsTransaction

  private record Applied(Ledger ledger, AttemptReports.Outcome outcome) {}

  Uni<Void> events(List<Entry> batch) {
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
    afterEnds(applied.ledger());
    return statuses.publishNamed(applied.ledger());
  }

  // --- fan-outs, as FanOutPump and FanOutTransaction

  private Uni<Boolean> fanOut() {
    return database
        .transaction(life, this::workOne)
        .map(
            worked -> {
              worked.ifPresent(this::afterSweep);
              return worked.isPresent();
            });
  }

  private Optional<Ledger> workOne(SimTransaction tx) {
    Optional<FanOutRow> some = tx.lockSomeFanOut();
    if (some.isEmpty()) {
      return Optional.empty();
    }
    FanOutRow row = some.get();
    Ledger ledger = new Ledger(tx.now());
    ledger.fanOuts().load(row);
    switch (row.kind()) {
      case SHARERS -> owe(tx, ledger, row);
      case DEPENDENTS -> settle(tx, ledger, row);
    }
    tx.write(ledger);
    return Optional.of(ledger);
  }

  private static void owe(SimTransaction tx, Ledger ledger, FanOutRow row) {
    List<String> sharers = tx.sharers(row.subject(), row.after(), Settings.CHUNK);
    FanOut.owe(ledger, row, sharers, Settings.CHUNK);
    List<JobRow> jobs = tx.readJobs(List.of(row.subject()));
    if (!jobs.isEmpty() && !jobs.get(0).live()) {
      tx.dependedOnAmong(sharers).forEach(id -> ledger.fanOut(FanOutRow.Kind.DEPENDENTS, id));
    }
  }

  private void settle(SimTransaction tx, Ledger ledger, FanOutRow row) {
    String subject = row.subject();
    List<DependencyRow> edges = tx.dependenciesOn(subject, Settings.CHUNK);
    if (edges.size() < Settings.CHUNK) {
      ledger.fanOuts().remove(row.key());
    }
    if (edges.isEmpty()) {
      return;
    }
    List<JobRequest> requests =
        FanOut.requests(tx.readRequests(edges.stream().map(DependencyRow::dependent).toList()));
    Map<String, Dependent> dependents =
        FanOut.dependents(requests, tx.readRequests(FanOut.inputs(requests)));
    List<String> ids = new ArrayList<>(dependents.keySet());
    ids.add(subject);
    tx.shareJobsByFingerprint(FanOut.fingerprints(dependents)).forEach(ledger::loadJob);
    ledger.requests().loadAll(tx.lockRequests(ids));
    List<String> job =
        ledger.requests().find(subject).map(RequestRow::job).stream()
            .filter(Objects::nonNull)
            .toList();
    tx.shareJobs(job).forEach(ledger::loadJob);
    tx.dependenciesOn(subject, Settings.CHUNK).stream()
        .filter(edge -> dependents.containsKey(edge.dependent()))
        .forEach(ledger.dependencies()::load);
    FanOut.settle(ledger, settlement, subject, dependents);
  }

  // --- placement, as Leadership, Ticker and Scheduler

  private Uni<Boolean> pass() {
    return placements
        .pass(fleetEpoch)
        .chain(
            passed -> {
              if (passed.isEmpty()) {
                fleetEpoch = OptionalLong.empty();
              }
              return passed.isEmpty()
                  ? Uni.createFrom().item(false)
                  : publish(passed.get())
                      .chain(placed -> preempt(passed.get()).map(preempted -> placed || preempted));
            });
  }

  private Uni<Boolean> publish(Placements.Passed passed) {
    if (passed.opened().isEmpty()) {
      return Uni.createFrom().item(false);
    }
    Ledger ledger = passed.ledger();
    afterIntake(ledger);
    return placements.publish(passed).chain(() -> statuses.publishNamed(ledger)).replaceWith(true);
  }

  private Uni<Boolean> preempt(Placements.Passed passed) {
    return placements
        .preempt(fleetEpoch, passed)
        .map(
            done -> {
              done.ifPresent(this::afterSweep);
              return done.isPresent();
            });
  }

  private void tick() {
    beat.wake();
    world.timeline.after(Settings.BEAT, life, this::tick);
  }

  private Uni<Boolean> onBeat() {
    return database
        .once(life, this::claim)
        .onFailure(SimDatabase.Unavailable.class)
        .recoverWithItem(OptionalLong.empty())
        .invoke(epoch -> fleetEpoch = epoch)
        .chain(
            epoch ->
                epoch.isPresent()
                    ? sweeping.run().invoke(waits::look).invoke(scheduler::wake)
                    : Uni.createFrom().voidItem())
        .invoke(
            () -> {
              fanOuts.wake();
              statuses.wake();
            })
        .replaceWith(false);
  }

  private OptionalLong claim(SimTransaction tx) {
    Tables tables = tx.tables();
    tx.lockFleet(0);
    boolean mine = tables.scheduler.equals(life.name());
    if (!mine && tables.heldUntil >= tx.now()) {
      return OptionalLong.empty();
    }
    long epoch = tables.fleetEpoch + (mine ? 0 : 1);
    tx.write(
        () -> {
          tables.fleetEpoch = epoch;
          tables.scheduler = life.name();
          tables.heldUntil = tx.now() + Settings.TAKEOVER;
        });
    return OptionalLong.of(epoch);
  }
}
