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
import io.stoker.dispatcher.coordinator.host.HostMessages;
import io.stoker.dispatcher.coordinator.host.HostService;
import io.stoker.dispatcher.coordinator.host.HostTerms;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.coordinator.host.PoolsTeller;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.intake.RequestIntake;
import io.stoker.dispatcher.coordinator.leader.Leadership;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.timer.ClockKeeper;
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
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.runtime.SetAsides;
import java.util.List;
import java.util.OptionalInt;
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
  private final Leadership leadership;
  private final ClockKeeper clock;
  private final Placements placements;
  private final Refusals refusals;
  private final Sweeping sweeping;
  private final DueTimers timers;
  private final Retries retries;
  private final SimInbox requests;
  private final ControlReading control;
  private final SimInbox events;
  private final SimPump scheduler;
  private final FanOutPump fanOuts;
  private final SimPump beat;

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
    SimAgentTopics topics = new SimAgentTopics(world, log, this);
    agents = new AgentTeller(environment, store, topics, directory, Settings.SENDS);
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
    leadership =
        new Leadership(
            environment,
            store,
            new Leadership.Terms(
                Settings.FLEET, life.name(), Settings.TAKEOVER, Settings.RELIED_ON),
            List::of,
            new SimRestoration(database, life));
    clock = new ClockKeeper(environment, store, leadership);
    HostService hosts =
        new HostService(
            environment,
            new HostTransactions(store, leadership),
            world.has(Defect.CLOSE_AT_HELLO) ? deaf() : directory,
            agents,
            statuses,
            refusals,
            new PoolsTeller(environment, store, () -> Uni.createFrom().item(Kinds.NONE), agents),
            this,
            new HostTerms(
                Settings.FLEET,
                false,
                Settings.LEASE,
                Settings.HEARTBEAT,
                Settings.INVENTORY,
                // Dispatchers may be of the build before, that does not say so, and be replaced.
                () -> world.agentChance.is(0.8)));
    HostMessages messages = new HostMessages(environment, directory, hosts, leadership, this);
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
    timers = new DueTimers(store, this, statuses, asides, ends);
    retries = new Retries(environment, store, Settings.RETRIES, this, asides, ends);
    beat = new SimPump(world, life, this::onBeat);
    new SimHeartbeats(
            world,
            log,
            life,
            directory,
            topics.hears(message -> messages.take(message, this::hasNoEffect)))
        .start();
    new StatusReading(world, database, log, life, this::schedules, statuses::wake).start();
    tick();
  }

  /** Nothing was ever heard of anybody, and no lease lasts. */
  private static HostDirectory deaf() {
    HostDirectory deaf = new HostDirectory(new LeaseBook(0, -86_400_000), () -> 0);
    deaf.atEnd(true);
    return deaf;
  }

  private Uni<Void> hasNoEffect(Throwable error) {
    world.broken(error);
    return Uni.createFrom().voidItem();
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
    return leadership.epoch().isPresent();
  }

  // --- what wakes whom, as Wakes

  private void after(Ledger ledger, boolean place) {
    retries.note(ledger);
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

  private void afterSweep(Ledger ledger) {
    afterEnds(ledger);
    if (!ledger.due().isEmpty()) {
      statuses.wake();
    }
  }

  // --- placement, as Leadership, Ticker and Scheduler

  private Uni<Boolean> pass() {
    return placements
        .pass(leadership.epoch())
        .chain(
            passed -> {
              if (passed.isEmpty()) {
                leadership.lost();
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
        .preempt(leadership.epoch(), passed)
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
    return leadership
        .renew()
        .call(clock::look)
        .chain(
            schedules ->
                schedules
                    ? timers
                        .run()
                        .chain(sweeping::run)
                        .invoke(this::lookForRetries)
                        .invoke(scheduler::wake)
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
}
