package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.attempt.EventIntake;
import io.stoker.dispatcher.coordinator.attempt.EventsTransaction;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.control.ControlAudit;
import io.stoker.dispatcher.coordinator.control.ControlIntake;
import io.stoker.dispatcher.coordinator.control.ControlTransaction;
import io.stoker.dispatcher.coordinator.control.GroupControl;
import io.stoker.dispatcher.coordinator.control.HostControl;
import io.stoker.dispatcher.coordinator.control.PoolControl;
import io.stoker.dispatcher.coordinator.control.RequestControl;
import io.stoker.dispatcher.coordinator.dependency.FanOutPump;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.experiment.EarlyStopper;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.experiment.GroupCounts;
import io.stoker.dispatcher.coordinator.host.HostHolds;
import io.stoker.dispatcher.coordinator.host.HostMessages;
import io.stoker.dispatcher.coordinator.host.HostService;
import io.stoker.dispatcher.coordinator.host.HostTerms;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.coordinator.host.PoolsTeller;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.intake.KindsInForce;
import io.stoker.dispatcher.coordinator.intake.RequestIntake;
import io.stoker.dispatcher.coordinator.leader.Leadership;
import io.stoker.dispatcher.coordinator.placement.LineCounts;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.coordinator.retention.Retention.Dropped;
import io.stoker.dispatcher.coordinator.status.LastStatusCheck;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.timer.Beat;
import io.stoker.dispatcher.coordinator.timer.ClockKeeper;
import io.stoker.dispatcher.coordinator.timer.DueTimers;
import io.stoker.dispatcher.coordinator.timer.HostSweep;
import io.stoker.dispatcher.coordinator.timer.Retries;
import io.stoker.dispatcher.coordinator.timer.Sweep;
import io.stoker.dispatcher.coordinator.timer.UntoldAttempts;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.QueueDoor;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.HostKeyBook;
import io.stoker.dispatcher.lease.LeaseBook;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.ledger.Ids;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.simulation.SimLog.Entry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * A dispatcher replica, from its start to its death: the real coordinators, over ports to what is
 * below.
 */
final class SimDispatcher implements Wire, CommitEvents {
  private final World world;
  private final Life life;
  private final SimStore store;
  private final StatusPublisher statuses;
  private final AgentTeller agents;
  private final Leadership leadership;
  private final SimPlacement placement;
  private final Refusals refusals;
  private final Retries retries;
  private final SimInbox requests;
  private final ControlIntake control;
  private final SimInbox events;
  private final FanOutPump fanOuts;
  private final EarlyStopper stopper;

  SimDispatcher(
      World world, Life life, SimDatabase database, SimLog log, SimBulletin bulletin, Ids ids) {
    this.world = world;
    this.life = life;
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
    FleetMemory fleet = new FleetMemory();
    store = new SimStore(database, life, directory::alive, fleet);
    SetAsides asides = new SetAsides(environment, environment);
    statuses =
        new StatusPublisher(environment, store, new SimStatusTopic(log, this), List.of(), asides);
    CodedEnd ends = new CodedEnd(store, this, statuses);
    SimAgentTopics topics = new SimAgentTopics(world, log, this);
    agents = new AgentTeller(environment, store, topics, directory, Settings.SENDS);
    leadership =
        new Leadership(
            environment,
            store,
            new Leadership.Terms(
                Settings.FLEET, life.name(), Settings.TAKEOVER, Settings.RELIED_ON),
            List::of,
            new SimRestoration(database, life));
    placement =
        new SimPlacement(
            world,
            environment,
            store,
            leadership,
            this,
            directory,
            refusals,
            statuses,
            agents,
            asides,
            ends,
            fleet,
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
    QueueDoor door = new QueueDoor(queues, Map.of(), pool -> Map.of());
    KindsInForce kinds = () -> Uni.createFrom().item(Kinds.NONE);
    IntakeTransaction intakes =
        new IntakeTransaction(store, new Intake(binding), queues, placement.immediate());
    RequestIntake intake =
        new RequestIntake(
            environment, store, intakes, statuses, deadLetters, this, new Topics(""), door, kinds);
    requests = new SimInbox("requests", environment, RequestIntake.BATCHES, intake::take);
    EventIntake reports =
        new EventIntake(
            environment,
            new EventsTransaction(store, Settings.BACKOFF, placement.freedRoom()),
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
            1,
            records ->
                reports.take(
                    world.has(Defect.BELIEVE_HOST_KEYS) ? believed.proven(records) : records));
    HostTransactions hostTransactions = new HostTransactions(store, leadership);
    HostService hosts =
        new HostService(
            environment,
            hostTransactions,
            world.has(Defect.CLOSE_AT_HELLO) ? deaf() : directory,
            agents,
            statuses,
            refusals,
            new PoolsTeller(environment, store, kinds::newest, agents),
            this,
            new HostTerms(
                Settings.FLEET,
                false,
                Settings.LEASE,
                Settings.HEARTBEAT,
                Settings.INVENTORY,
                // Dispatchers may be of the build before, that does not say so, and be replaced.
                () -> world.agentChance.is(0.8)));
    stopper = new EarlyStopper(environment, store, statuses, this);
    ExperimentLifecycle experiments = new ExperimentLifecycle(store, statuses, this, asides);
    control =
        new ControlIntake(
            new RequestControl(
                new ControlTransaction(store, queues), intakes, kinds, door, statuses, this),
            new GroupControl(store, experiments),
            new HostControl(hostTransactions, hosts, this),
            new PoolControl(store, agents),
            deadLetters,
            ControlAudit.NONE);
    HostMessages messages = new HostMessages(environment, directory, hosts, leadership, this);
    retries =
        new Retries(environment, store, Settings.RETRIES, Settings.BACKOFF, this, asides, ends);
    Sweep sweep =
        new Sweep(
            asides,
            new DueTimers(store, this, statuses, asides, ends),
            new HostSweep(store, directory, hosts, new HostHolds(hostTransactions), asides),
            new UntoldAttempts(
                store,
                host -> lastHeartbeat(directory, host),
                placement.publisher()::publish,
                statuses,
                agents,
                this,
                asides,
                ends,
                Settings.PUBLISH_AGAIN),
            placement.further(
                new GroupCounts(store, asides),
                new LineCounts(store),
                experiments,
                new Retention(
                    environment, store, statuses, Settings.KEPT, asides, Dropped.UNCOUNTED)),
            retries,
            this);
    new SimHeartbeats(
            world,
            log,
            life,
            directory,
            topics.hears(message -> messages.take(message, false, this::hasNoEffect)))
        .start();
    new StatusReading(
            world,
            log,
            life,
            this::schedules,
            new LastStatusCheck(environment, store, statuses, Settings.COMPARED))
        .start();
    ClockKeeper clock = new ClockKeeper(environment, store, leadership);
    Beat beat =
        new Beat(
            environment,
            store,
            leadership,
            clock,
            sweep,
            new KeyWatch(new HostKeyBook()),
            this,
            statuses,
            // What it reads twice, those do who are stopped for long: see ConsumerGroup.
            () -> {});
    world.timeline.after(0, life, beat::start);
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

  Uni<Void> control(List<Entry> polled) {
    return control.take(SimInbox.received("control", 0, polled));
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

  private void after(Ledger ledger, boolean room) {
    stopper.note(ledger);
    placement.note(ledger);
    retries.note(ledger);
    placement.scheduler().wake(room, !ledger.madeReady().isEmpty());
    if (!ledger.fanOuts().all().isEmpty()) {
      fanOuts.wake();
    }
    agents.tell(ledger);
    if (world.has(Defect.PLACE_CALLED_BACK)) {
      giveUpCalled(ledger);
    }
  }

  private void giveUpCalled(Ledger ledger) {
    List<String> called =
        ledger.told().stream()
            .map(Ledger.Told::message)
            .filter(ToAgent.CallBack.class::isInstance)
            .map(message -> ((ToAgent.CallBack) message).job())
            .toList();
    if (!called.isEmpty()) {
      store
          .transaction(
              "defect",
              tx ->
                  tx.loadJobs(called, true)
                      .invoke(
                          all ->
                              called.forEach(
                                  job -> JobEnd.returned(all, all.jobs().get(job), "called back")))
                      .call(tx::write))
          .subscribe()
          .with(this::afterEnds, error -> {});
    }
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
  public void timePassed() {
    placement.scheduler().wake(true, false);
  }

  @Override
  public void fanOutWanted() {
    fanOuts.wake();
  }

  private void askAgain(long inMs) {
    placement.scheduler().wakeForRoom(inMs);
  }

  /** If time alone is enough, each host says all the time that it holds nothing. */
  private Optional<Heartbeat> lastHeartbeat(HostDirectory directory, String host) {
    Optional<Heartbeat> last = directory.lastHeartbeat(host);
    return world.has(Defect.CLOSE_BY_TIME_ALONE)
        ? last.map(beat -> SimHeartbeats.holdingNothing(beat, world.databaseNow()))
        : last;
  }
}
