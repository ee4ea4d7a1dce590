package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.attempt.EventIntake;
import io.stoker.dispatcher.coordinator.attempt.EventsTransaction;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.control.ControlAudit;
import io.stoker.dispatcher.coordinator.control.ControlIntake;
import io.stoker.dispatcher.coordinator.control.ControlTransaction;
import io.stoker.dispatcher.coordinator.control.Controls;
import io.stoker.dispatcher.coordinator.control.GroupControl;
import io.stoker.dispatcher.coordinator.control.HostControl;
import io.stoker.dispatcher.coordinator.control.PoolControl;
import io.stoker.dispatcher.coordinator.control.RequestControl;
import io.stoker.dispatcher.coordinator.dependency.FanOutTask;
import io.stoker.dispatcher.coordinator.dependency.FanOutTransaction;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.coordinator.experiment.EarlyStopper;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.experiment.GroupCounts;
import io.stoker.dispatcher.coordinator.host.HostClosing;
import io.stoker.dispatcher.coordinator.host.HostHolds;
import io.stoker.dispatcher.coordinator.host.HostMessages;
import io.stoker.dispatcher.coordinator.host.HostReplies;
import io.stoker.dispatcher.coordinator.host.HostService;
import io.stoker.dispatcher.coordinator.host.HostSettingsSender;
import io.stoker.dispatcher.coordinator.host.HostTerms;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.coordinator.host.PoolsSender;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.intake.KindsInForce;
import io.stoker.dispatcher.coordinator.intake.RejectedStatuses;
import io.stoker.dispatcher.coordinator.intake.RequestIntake;
import io.stoker.dispatcher.coordinator.intake.RequestReader;
import io.stoker.dispatcher.coordinator.intake.RequestRefusals;
import io.stoker.dispatcher.coordinator.leader.LeaderElection;
import io.stoker.dispatcher.coordinator.placement.LineCounts;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.coordinator.retention.Retention.Dropped;
import io.stoker.dispatcher.coordinator.status.LastStatusCheck;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.timer.AgentReminders;
import io.stoker.dispatcher.coordinator.timer.AwaitedSteps;
import io.stoker.dispatcher.coordinator.timer.Beat;
import io.stoker.dispatcher.coordinator.timer.ClockKeeper;
import io.stoker.dispatcher.coordinator.timer.DueTimers;
import io.stoker.dispatcher.coordinator.timer.HostSweep;
import io.stoker.dispatcher.coordinator.timer.OverdueAttempts;
import io.stoker.dispatcher.coordinator.timer.PendingLooks;
import io.stoker.dispatcher.coordinator.timer.Retries;
import io.stoker.dispatcher.coordinator.timer.RetriesTransaction;
import io.stoker.dispatcher.coordinator.timer.Sweep;
import io.stoker.dispatcher.coordinator.timer.UnacceptedAttempts;
import io.stoker.dispatcher.coordinator.timer.UntoldAttempts;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.host.LeaseBook;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.QueueAdmission;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.model.Ids;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.simulation.SimLog.Entry;
import java.util.ArrayList;
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
  private final AgentSender agents;
  private final LeaderElection election;
  private final SimPlacement placement;
  private final RecentRejections rejections;
  private final Retries retries;
  private final SimInbox requests;
  private final ControlIntake control;
  private final SimInbox events;
  private final FanOutTask fanOuts;
  private final EarlyStopper stopper;

  SimDispatcher(
      World world, Life life, SimDatabase database, SimLog log, SimReplicaPubSub pubSub, Ids ids) {
    this.world = world;
    this.life = life;
    Binding binding = new Binding(ids, new Queues(List.of()));
    HostDirectory directory =
        new HostDirectory(
            world.has(Defect.EXPIRE_EARLY)
                ? new LeaseBook(Settings.LEASE / 2, 0)
                : new LeaseBook(Settings.LEASE, Settings.MARGIN),
            world::now);
    rejections =
        new RecentRejections(
            news -> pubSub.tell(life, news),
            this::askAgain,
            () -> TimeUnit.MILLISECONDS.toNanos(world.now()));
    pubSub.join(life, rejections::heard);
    SimEnvironment environment = new SimEnvironment(world, life);
    FleetMemory fleet = new FleetMemory();
    store = new SimStore(database, life, directory::alive, fleet);
    SetAsides asides = new SetAsides(environment, environment);
    statuses =
        new StatusPublisher(
            environment, store, new SimStatusTopic(world, log, this), List.of(), asides);
    CommitFollowUp followUp = new CommitFollowUp(this, statuses);
    Ends ends = new Ends(store, followUp);
    CodedEnd coded = new CodedEnd(store, ends, asides);
    SimAgentTopics topics = new SimAgentTopics(world, log, this);
    agents = new AgentSender(environment, store, topics, directory, Settings.SENDS);
    election =
        new LeaderElection(
            environment,
            store,
            new LeaderElection.Terms(
                Settings.FLEET, life.name(), Settings.TAKEOVER, Settings.RELIED_ON),
            List::of,
            new SimRestoration(database, life));
    placement =
        new SimPlacement(
            world,
            environment,
            store,
            election,
            followUp,
            directory,
            rejections,
            agents,
            ends,
            coded,
            fleet,
            ids);
    fanOuts =
        new FanOutTask(
            environment,
            new FanOutTransaction(store, new Settlement(binding, Settings.SENDS), Settings.CHUNK),
            ends,
            coded);
    DeadLetters deadLetters = this::deadLetter;
    Queues queues = new Queues(List.of());
    QueueAdmission admission = new QueueAdmission(queues, Map.of(), pool -> Map.of());
    KindsInForce kinds = () -> Uni.createFrom().item(Kinds.NONE);
    IntakeTransaction intakes =
        new IntakeTransaction(store, new Intake(binding), queues, placement.immediate());
    RequestIntake intake =
        new RequestIntake(
            environment,
            new RequestReader(new Topics(""), admission, kinds),
            intakes,
            followUp,
            new RequestRefusals(
                store,
                new RejectedStatuses(environment, intakes, this, statuses),
                deadLetters,
                followUp,
                new Topics("")));
    requests = new SimInbox("requests", environment, RequestIntake.BATCHES, intake::take);
    EventIntake reports =
        new EventIntake(
            environment,
            new EventsTransaction(store, Settings.BACKOFF, placement.freedRoom()),
            followUp,
            deadLetters,
            rejections,
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
    HostTransactions hostTransactions = new HostTransactions(store, election);
    HostReplies replies =
        new HostReplies(
            environment,
            agents,
            new PoolsSender(environment, store, kinds::newest, agents),
            new HostTerms(
                Settings.FLEET,
                false,
                Settings.LEASE,
                Settings.HEARTBEAT,
                Settings.INVENTORY,
                // Dispatchers may be of the build before, that does not say so, and be replaced.
                () -> world.agentChance.is(0.8)));
    HostDirectory judged = world.has(Defect.CLOSE_AT_HELLO) ? deaf() : directory;
    HostService hosts = new HostService(hostTransactions, judged, rejections, replies, followUp);
    HostClosing closing = new HostClosing(hostTransactions, judged, replies, followUp);
    stopper = new EarlyStopper(environment, store, ends);
    ExperimentLifecycle experiments = new ExperimentLifecycle(environment, store, ends, asides);
    control =
        new ControlIntake(
            new Controls(
                new RequestControl(
                    new ControlTransaction(store, queues), intakes, kinds, admission, followUp),
                new GroupControl(store, experiments),
                new HostControl(
                    hostTransactions,
                    new HostSettingsSender(environment, hostTransactions, replies),
                    this),
                new PoolControl(store, agents)),
            deadLetters,
            ControlAudit.NONE);
    HostMessages messages = new HostMessages(environment, directory, hosts, election, this);
    retries =
        new Retries(
            environment,
            new RetriesTransaction(store, Settings.RETRIES, Settings.BACKOFF),
            this,
            coded);
    List<Sweep.Step> steps =
        new ArrayList<>(
            new AwaitedSteps(
                    new DueTimers(environment, store, ends, coded),
                    new HostSweep(
                        store, directory, closing, new HostHolds(hostTransactions), asides),
                    new UntoldAttempts(
                        store,
                        new OverdueAttempts(
                            store, host -> lastHeartbeat(directory, host), ends, coded),
                        new UnacceptedAttempts(
                            store, placement.publisher()::publish, statuses, asides),
                        new AgentReminders(store, agents, ends, asides),
                        Settings.PUBLISH_AGAIN))
                .all());
    steps.addAll(
        placement.further(
            new GroupCounts(store, asides),
            new LineCounts(store),
            experiments,
            new Retention(environment, store, statuses, Settings.KEPT, asides, Dropped.UNCOUNTED)));
    // What a scheduler reads twice, those do who are stopped for long: see ConsumerGroup.
    Sweep sweep = new Sweep(asides, steps, retries, this, () -> {});
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
    ClockKeeper clock = new ClockKeeper(environment, store, election);
    PendingLooks pending =
        new PendingLooks(environment, store, new KeyWatch(new HostKeyBook()), this, statuses);
    Beat beat = new Beat(environment, election, clock, pending, sweep);
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
    return election.epoch().isPresent();
  }

  // --- what wakes whom, as Wakes

  private void after(UnitOfWork unit, boolean room) {
    stopper.note(unit);
    placement.note(unit);
    retries.note(unit);
    placement.scheduler().wake(room, !unit.madeReady().isEmpty());
    if (!unit.fanOuts().all().isEmpty()) {
      fanOuts.wake();
    }
    agents.tell(unit);
    if (world.has(Defect.PLACE_CALLED_BACK)) {
      giveUpCalled(unit);
    }
  }

  private void giveUpCalled(UnitOfWork unit) {
    List<String> called =
        unit.told().stream()
            .map(UnitOfWork.Told::message)
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
  public void afterIntake(UnitOfWork unit) {
    after(unit, false);
  }

  @Override
  public void afterEnds(UnitOfWork unit) {
    after(unit, !unit.attempts().removed().isEmpty());
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
