package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.security.Macs;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.attempt.EventIntake;
import io.stoker.dispatcher.coordinator.attempt.EventsTransaction;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.intake.RequestIntake;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.QueueDoor;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.LeaseBook;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.ledger.Ids;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Takeover;
import io.stoker.dispatcher.placement.Takeover.Claimed;
import io.stoker.dispatcher.placement.Takeover.Look;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.timer.ClockWatch;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A dispatcher replica, from its start to its death: the real deciders, in the order of effects of
 * the real shells.
 */
final class SimDispatcher implements Wire, CommitEvents {
  private final World world;
  private final Life life;
  private final SimDatabase database;
  private final StatusPublisher statuses;
  private final AgentTeller agents;
  private final Placements placements;
  private final Refusals refusals;
  private final Sweeping sweeping;
  private final Waits waits;
  private final SimInbox requests;
  private final ControlReading control;
  private final SimInbox events;
  private final SimPump scheduler;
  private final SimPump fanOuts;
  private final SimPump beat;
  private OptionalLong fleetEpoch = OptionalLong.empty();
  private Takeover takeover = Takeover.START;
  private ClockWatch clock = ClockWatch.START;

  SimDispatcher(
      World world, Life life, SimDatabase database, SimLog log, SimBulletin bulletin, Ids ids) {
    this.world = world;
    this.life = life;
    this.database = database;
    Binding binding = new Binding(ids, new Queues(List.of()));
    HostDirectory directory =
        new HostDirectory(new LeaseBook(Settings.LEASE, Settings.MARGIN), world::now);
    refusals =
        new Refusals(
            news -> bulletin.tell(life, news),
            ms -> {}, // a pass is made each second
            () -> TimeUnit.MILLISECONDS.toNanos(world.now()));
    bulletin.join(life, refusals::heard);
    SimEnvironment environment = new SimEnvironment(world, life);
    SimStore store = new SimStore(database, life);
    SetAsides asides = new SetAsides(environment, environment);
    statuses =
        new StatusPublisher(environment, store, new SimStatusTopic(log, this), List.of(), asides);
    CodedEnd ends = new CodedEnd(store, this, statuses);
    agents =
        new AgentTeller(
            environment,
            store,
            (host, record) -> log.send(this, "placements." + host, host, record.record()),
            directory,
            Settings.SENDS);
    placements =
        new Placements(
            world,
            database,
            this,
            directory,
            refusals,
            new Placing(ids, Settings.ACCEPT_WITHIN),
            agents,
            asides,
            ends,
            this::afterSweep);
    scheduler = new SimPump(world, life, this::pass);
    FanningOut fanningOut =
        new FanningOut(
            database,
            life,
            new Settlement(binding, Settings.SENDS),
            asides,
            ends,
            this::afterSweep);
    fanOuts = new SimPump(world, life, fanningOut::some);
    DeadLetters deadLetters = this::deadLetter;
    Queues queues = new Queues(List.of());
    RequestIntake intake =
        new RequestIntake(
            environment,
            store,
            new IntakeTransaction(store, new Intake(binding), queues),
            statuses,
            deadLetters,
            this,
            new Topics(""),
            new QueueDoor(queues),
            () -> Uni.createFrom().item(Kinds.NONE));
    requests = new SimInbox("requests", environment, intake::take);
    control = new ControlReading(database, life, statuses, this::afterEnds, scheduler::wake);
    EventIntake reports =
        new EventIntake(
            environment,
            new EventsTransaction(store, Settings.BACKOFF),
            statuses,
            deadLetters,
            refusals,
            this,
            (host, record) -> Macs.sealed(Macs.hostKey(Settings.HOST_SECRET, host), record));
    BelievedKeys believed = new BelievedKeys(database.tables());
    events =
        new SimInbox(
            "events",
            environment,
            records ->
                reports.take(
                    world.has(Defect.BELIEVE_HOST_KEYS) ? believed.proven(records) : records));
    HostAnswers hosts =
        new HostAnswers(
            world, database, this, directory, refusals, agents, () -> fleetEpoch, this::afterHosts);
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
            asides,
            ends,
            this::afterSweep);
    waits = new Waits(world, database, this, this::afterIntake);
    beat = new SimPump(world, life, this::onBeat);
    new HeartbeatReading(
            world, log, life, directory, hosts, () -> fleetEpoch.isPresent(), scheduler::wake)
        .start();
    new StatusReading(world, database, log, life, () -> fleetEpoch.isPresent(), statuses::wake)
        .start();
    tick();
  }

  @Override
  public Life life() {
    return life;
  }

  SimInbox requests() {
    return requests;
  }

  ControlReading control() {
    return control;
  }

  SimInbox events() {
    return events;
  }

  private Uni<Void> deadLetter(Received record, OptionalInt index, byte[] value, String reason) {
    world.note(life.name(), "cannot use a record of " + record.topic() + ": " + reason);
    return Uni.createFrom().voidItem();
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
    agents.tell(ledger);
  }

  @Override
  public void afterIntake(Ledger ledger) {
    after(ledger, !ledger.madeReady().isEmpty());
  }

  @Override
  public void afterEnds(Ledger ledger) {
    boolean freed = !ledger.attempts().removed().isEmpty();
    after(ledger, freed || !ledger.madeReady().isEmpty());
  }

  @Override
  public void capacityChanged() {
    scheduler.wake();
  }

  @Override
  public void fanOutWanted() {
    fanOuts.wake();
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
                      .call(() -> placements.giveUp(passed.get()))
                      .call(() -> tell(passed.get()))
                      .chain(placed -> preempt(passed.get()).map(preempted -> placed || preempted));
            });
  }

  private Uni<Boolean> publish(Placements.Passed passed) {
    if (passed.opened().isEmpty()) {
      after(passed.ledger(), false);
      return Uni.createFrom().item(passed.given());
    }
    Ledger ledger = passed.ledger();
    afterIntake(ledger);
    statuses.publishSoon(ledger);
    return placements.publish(passed).replaceWith(true);
  }

  private Uni<Void> tell(Placements.Passed passed) {
    return placements
        .tell(passed)
        .invoke(
            told -> {
              told.ifPresent(this::afterEnds);
              told.ifPresent(ledger -> statuses.wake());
            })
        .replaceWithVoid();
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
        .invoke(look -> takeover = takeover.saw(look.claim(), world.now()))
        .map(Look::epoch)
        .onFailure(SimDatabase.Unavailable.class)
        .invoke(() -> takeover = takeover.failed())
        .onFailure(SimDatabase.Unavailable.class)
        .recoverWithItem(OptionalLong.empty())
        .invoke(epoch -> fleetEpoch = epoch)
        .call(this::lookAtClock)
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

  /** As ClockKeeper. */
  private Uni<Void> lookAtClock() {
    long asked = world.now();
    OptionalLong epoch = fleetEpoch;
    return database
        .once(life, tx -> List.of(tx.now(), tx.tables().clockCorrection, tx.tables().shown))
        .chain(
            shown -> {
              ClockWatch.Next next =
                  clock.saw(
                      shown.get(0),
                      shown.get(1),
                      shown.get(2),
                      asked,
                      world.now(),
                      epoch.isPresent());
              clock = next.watch();
              return correct(epoch, world.has(Defect.FOLLOW_CLOCK) ? 0 : next.by());
            })
        .onFailure(SimDatabase.Unavailable.class)
        .recoverWithNull();
  }

  private Uni<Void> correct(OptionalLong epoch, long by) {
    return by == 0 || epoch.isEmpty()
        ? Uni.createFrom().voidItem()
        : database
            .once(
                life,
                tx -> {
                  if (tx.lockFleet(epoch.getAsLong())) {
                    tx.write(() -> tx.tables().clockCorrection += by);
                  }
                  return true;
                })
            .replaceWithVoid();
  }

  /** As FleetTable. */
  private Look claim(SimTransaction tx) {
    Tables tables = tx.tables();
    tx.lockFleet(0);
    boolean mine = tables.scheduler.equals(life.name());
    Claimed known = new Claimed(tables.fleetEpoch, tables.heldUntil);
    if (tables.restored.isPresent()) {
      if (!tables.restored.get().replayed().getAsBoolean()) {
        return new Look(Settings.FLEET, false, known);
      }
      tx.owe(tables.restored.get().owed());
      tx.write(() -> tables.restored = Optional.empty());
    }
    boolean lapsed =
        takeover.lapsed(world.now(), Settings.TAKEOVER).filter(known::equals).isPresent()
            || takeover.started() && tables.heldUntil < tx.now();
    if (!mine && !lapsed) {
      return new Look(Settings.FLEET, false, known);
    }
    Claimed claim = new Claimed(tables.fleetEpoch + (mine ? 0 : 1), tx.now() + Settings.TAKEOVER);
    tx.write(
        () -> {
          tables.fleetEpoch = claim.epoch();
          tables.scheduler = life.name();
          tables.heldUntil = claim.renewed();
          tables.shown = mine ? tx.now() : Math.max(tables.shown, tx.now());
        });
    if (fleetEpoch.isEmpty() || fleetEpoch.getAsLong() != claim.epoch()) {
      tx.owe(tables.announced);
    }
    return new Look(Settings.FLEET, true, claim);
  }
}
