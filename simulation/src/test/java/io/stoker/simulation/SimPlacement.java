package io.stoker.simulation;

import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.experiment.GroupCounts;
import io.stoker.dispatcher.coordinator.fairshare.QueueStandings;
import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.CommittedPlacements;
import io.stoker.dispatcher.coordinator.placement.FleetReaders;
import io.stoker.dispatcher.coordinator.placement.FreedCapacity;
import io.stoker.dispatcher.coordinator.placement.HostAvailability;
import io.stoker.dispatcher.coordinator.placement.ImmediateLook;
import io.stoker.dispatcher.coordinator.placement.ImmediatePlacements;
import io.stoker.dispatcher.coordinator.placement.LineCounts;
import io.stoker.dispatcher.coordinator.placement.LineReader;
import io.stoker.dispatcher.coordinator.placement.PassDecisions;
import io.stoker.dispatcher.coordinator.placement.PassFollowUp;
import io.stoker.dispatcher.coordinator.placement.PassInTransaction;
import io.stoker.dispatcher.coordinator.placement.PlacementListener;
import io.stoker.dispatcher.coordinator.placement.PlacementMessages;
import io.stoker.dispatcher.coordinator.placement.PlacementTransaction;
import io.stoker.dispatcher.coordinator.placement.PlacementsPublisher;
import io.stoker.dispatcher.coordinator.placement.PreemptionTransaction;
import io.stoker.dispatcher.coordinator.placement.Preemptions;
import io.stoker.dispatcher.coordinator.placement.Scheduler;
import io.stoker.dispatcher.coordinator.placement.Snapshots;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.coordinator.placement.Unsatisfied;
import io.stoker.dispatcher.coordinator.placement.UnsendablePlacements;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.coordinator.timer.FoldSteps;
import io.stoker.dispatcher.coordinator.timer.FurtherSteps;
import io.stoker.dispatcher.coordinator.timer.Sweep.Step;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.model.Ids;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.placement.ImmediatePlacement;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Sendable;
import io.stoker.dispatcher.placement.ThroughputEstimate;
import io.stoker.dispatcher.placement.TieBreaker;
import java.util.List;
import java.util.OptionalLong;

/** What places jobs in a dispatcher. */
final class SimPlacement {
  private static final Decay DECAY = new Decay(Settings.HALF_LIFE);
  private static final PlacementListener UNMEASURED = new PlacementListener() {};

  private final UsageBook usage;
  private final MemoryBook memory;
  private final SuspectBook suspects;
  private final PlacementsPublisher publisher;
  private final Scheduler scheduler;
  private final FleetMemory fleet;
  private final LineReader line;
  private final ImmediatePlacements immediate;
  private final FreedCapacity freedCapacity;

  SimPlacement(
      World world,
      SimEnvironment environment,
      SimStore store,
      Leader leader,
      CommitFollowUp commits,
      HostDirectory hosts,
      RecentRejections rejections,
      AgentSender agents,
      Ends ends,
      CodedEnd coded,
      FleetMemory fleet,
      Ids ids) {
    this.fleet = fleet;
    LeftOut leftOut = new LeftOut(world::now);
    RunTimes times = new GuessedTimes();
    LookAhead lookAhead = new LookAhead(times);
    usage = new UsageBook(store, DECAY, coded.asides());
    memory =
        new MemoryBook(
            environment,
            store,
            new MemoryRules(0.95, 0.1),
            times,
            new MemoryBook.Learning(true, Settings.REMEMBER),
            coded.asides());
    suspects = new SuspectBook(store, Settings.SUSPECTS, Settings.FLEET);
    publisher =
        new PlacementsPublisher(
            environment,
            new PlacementMessages(store, memory),
            agents,
            new UnsendablePlacements(ends, new Sendable(Settings.SENDS), leftOut),
            coded);
    Preemptions preemptions =
        new Preemptions(hosts, new Preemptions.Settings(true, Settings.MIN_RUN));
    Snapshots snapshots =
        new Snapshots(
            new HostAvailability(hosts, rejections, suspects),
            new QueueStandings(new FairShare(new Queues(List.of()), DECAY), usage),
            memory,
            lookAhead,
            TieBreaker.BY_NAME);
    Placing placing = new Placing(ids, Settings.ACCEPT_WITHIN);
    line = new LineReader(environment, Settings.HEADS, leftOut, UNMEASURED);
    FleetReaders readers = new FleetReaders(environment, leader, fleet);
    PassInTransaction passes =
        new PassInTransaction(
            new PassDecisions(
                environment,
                snapshots,
                line,
                UNMEASURED,
                new PassDecisions.Settings(Settings.RESERVE_AFTER, Settings.SAY_NEVER_AFTER)),
            placing,
            lookAhead,
            preemptions);
    ThroughputEstimate throughput = new ThroughputEstimate();
    CommittedPlacements committed =
        new CommittedPlacements(environment, publisher, throughput, UNMEASURED);
    scheduler =
        new Scheduler(
            environment,
            new PlacementTransaction(store, leader, readers, passes),
            new PassFollowUp(
                committed,
                commits,
                new Unsatisfied(store, ends),
                new PreemptionTransaction(store, leader, ends, UNMEASURED),
                coded),
            throughput,
            UNMEASURED);
    freedCapacity = new FreedCapacity(readers, passes, scheduler);
    immediate =
        new ImmediatePlacements(
            new ImmediateLook(environment, leader, fleet, memory, line),
            new ImmediatePlacement(fleet, placing, Settings.RESERVE_AFTER),
            snapshots,
            committed);
  }

  FreedCapacity freedRoom() {
    return freedCapacity;
  }

  ImmediatePlacements immediate() {
    return immediate;
  }

  /**
   * What is known of how long jobs run is anything: what is held has to come to its end whatever
   * was expected of it.
   */
  private static final class GuessedTimes extends RunTimes {
    @Override
    public OptionalLong expected(String profile) {
      OptionalLong known = super.expected(profile);
      boolean guesses = known.isEmpty() && profile.hashCode() % 4 != 0;
      return guesses ? OptionalLong.of(1 + Math.floorMod(profile.hashCode(), 400)) : known;
    }
  }

  Scheduler scheduler() {
    return scheduler;
  }

  PlacementsPublisher publisher() {
    return publisher;
  }

  /** Of what a transaction has changed its ledger are told. */
  void note(UnitOfWork committed) {
    usage.note(committed);
    memory.note(committed);
    suspects.note(committed);
    fleet.note(committed);
    line.note(committed);
  }

  /** What the sweep does for its ledger, and for others. */
  List<Step> further(
      GroupCounts groups, LineCounts lines, ExperimentLifecycle experiments, Retention retention) {
    FoldSteps folds = new FoldSteps(usage, memory, suspects, groups, lines);
    return new FurtherSteps(folds, experiments, retention).all();
  }
}
