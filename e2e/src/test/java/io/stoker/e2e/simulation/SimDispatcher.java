package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.security.Macs;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.attempt.EventIntake;
import io.stoker.dispatcher.coordinator.attempt.EventsTransaction;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.dependency.FanOutPump;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.intake.RequestIntake;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.timer.DueTimers;
import io.stoker.dispatcher.coordinator.timer.Retries;
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
final class SimDispatcher implements Wire, CommitEvents, Leader {
  private final World world;
  private final Life life;
  private final SimDatabase database;
  private final StatusPublisher statuses;
  private final AgentTeller agents;
  private final SimPlacement placement;
  private final Refusals refusals;
  private final Sweeping sweeping;
  private final DueTimers timers;
  private final Retries retries;
  private final SimInbox requests;
  private final ControlReading control;
  private final SimInbox events;
  private final FanOutPump fanOuts;
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
            this::askAgain,
            () -> TimeUnit.MILLISECONDS.toNanos(world.now()));
    bulletin.join(life, refusals::heard);
    SimEnvironment environment = new SimEnvironment(world, life);
    SimStore store = new SimStore(database, life, directory::alive);
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
    placement =
        new SimPlacement(
            world,
            environment,
            store,
            this,
            this,
            directory,
            refusals,
            statuses,
            agents,
            asides,
            ends,
            ids);
    fanOuts =
        new FanOutPump(
            environment,
            store,
            new Settlement(binding, Settings.SENDS),
            Settings.CHUNK,
            this,
            statuses,
            asides,
            ends);
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
    control = new ControlReading(database, life, statuses, this::afterEnds, this::capacityChanged);
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
            world, database, this, directory, hosts, placement, statuses, agents, this::afterSweep);
    timers = new DueTimers(store, this, statuses, asides, ends);
    retries = new Retries(environment, store, Settings.RETRIES, this, asides, ends);
    beat = new SimPump(world, life, this::onBeat);
    new HeartbeatReading(
            world, log, life, directory, hosts, () -> fleetEpoch.isPresent(), this::capacityChanged)
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

  private void after(Ledger ledger, boolean room) {
    placement.note(ledger);
    retries.note(ledger);
    placement.scheduler().wake(room, !ledger.madeReady().isEmpty());
    if (!ledger.fanOuts().all().isEmpty()) {
      fanOuts.wake();
    }
    agents.tell(ledger);
  }

  @Override
  public void afterIntake(Ledger ledger) {
    after(ledger, false);
  }

  @Override
  public void afterEnds(Ledger ledger) {
    after(ledger, !ledger.attempts().removed().isEmpty());
  }

  @Override
  public void capacityChanged() {
    placement.scheduler().wake(true, true);
  }

  @Override
  public void fanOutWanted() {
    fanOuts.wake();
  }

  private void askAgain(long inMs) {
    placement.scheduler().wakeForRoom(inMs);
  }

  private void afterHosts(Ledger ledger) {
    afterEnds(ledger);
    capacityChanged();
    statuses.wake();
  }

  private void afterSweep(Ledger ledger) {
    afterEnds(ledger);
    if (!ledger.due().isEmpty()) {
      statuses.wake();
    }
  }

  // --- the fleet, as Leadership

  @Override
  public String fleet() {
    return Settings.FLEET;
  }

  @Override
  public OptionalLong epoch() {
    return fleetEpoch;
  }

  @Override
  public void lost() {
    fleetEpoch = OptionalLong.empty();
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
                    ? timers
                        .run()
                        .chain(sweeping::run)
                        .invoke(this::lookForRetries)
                        .invoke(this::capacityChanged)
                    : Uni.createFrom().voidItem())
        .invoke(
            () -> {
              fanOuts.wake();
              statuses.wake();
            })
        .replaceWith(false);
  }

  private void lookForRetries() {
    if (!world.has(Defect.FORGET_WAITS)) {
      retries.look();
    }
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
