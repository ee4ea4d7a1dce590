package io.stoker.simulation;

import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.experiment.GroupCounts;
import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.FreedRoom;
import io.stoker.dispatcher.coordinator.placement.ImmediatePlacements;
import io.stoker.dispatcher.coordinator.placement.LineCounts;
import io.stoker.dispatcher.coordinator.placement.LineReader;
import io.stoker.dispatcher.coordinator.placement.PlacementListener;
import io.stoker.dispatcher.coordinator.placement.PlacementTransaction;
import io.stoker.dispatcher.coordinator.placement.PlacementsPublisher;
import io.stoker.dispatcher.coordinator.placement.Preemptions;
import io.stoker.dispatcher.coordinator.placement.Scheduler;
import io.stoker.dispatcher.coordinator.placement.Snapshots;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.coordinator.placement.Unsatisfied;
import io.stoker.dispatcher.coordinator.placement.UnsendablePlacements;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.timer.FurtherSteps;
import io.stoker.dispatcher.coordinator.timer.Sweep.Step;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.ledger.Ids;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.placement.ImmediatePlacement;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.Pace;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Sendable;
import io.stoker.dispatcher.placement.Ties;
import io.stoker.dispatcher.runtime.SetAsides;
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
  private final FreedRoom freedRoom;

  SimPlacement(
      World world,
      SimEnvironment environment,
      SimStore store,
      Leader leader,
      CommitEvents commits,
      HostDirectory hosts,
      Refusals refusals,
      StatusPublisher statuses,
      AgentTeller agents,
      SetAsides asides,
      CodedEnd ends,
      FleetMemory fleet,
      Ids ids) {
    this.fleet = fleet;
    LeftOut leftOut = new LeftOut(world::now);
    RunTimes times = new GuessedTimes();
    LookAhead lookAhead = new LookAhead(times);
    usage = new UsageBook(store, DECAY, asides);
    memory =
        new MemoryBook(
            environment,
            store,
            new MemoryRules(0.95, 0.1),
            times,
            new MemoryBook.Learning(true, Settings.REMEMBER),
            asides);
    suspects = new SuspectBook(store, Settings.SUSPECTS, Settings.FLEET);
    publisher =
        new PlacementsPublisher(
            environment,
            store,
            agents,
            memory,
            new UnsendablePlacements(store, statuses, commits),
            leftOut,
            new Sendable(Settings.SENDS),
            asides,
            ends);
    Preemptions preemptions =
        new Preemptions(
            store,
            leader,
            hosts,
            statuses,
            commits,
            UNMEASURED,
            new Preemptions.Settings(true, Settings.MIN_RUN));
    Snapshots snapshots =
        new Snapshots(
            hosts,
            refusals,
            suspects,
            memory,
            new FairShare(new Queues(List.of()), DECAY),
            usage,
            lookAhead,
            Ties.BY_NAME);
    Placing placing = new Placing(ids, Settings.ACCEPT_WITHIN);
    line = new LineReader(environment, Settings.HEADS, leftOut, UNMEASURED);
    PlacementTransaction passes =
        new PlacementTransaction(
            environment,
            store,
            leader,
            snapshots,
            placing,
            lookAhead,
            preemptions,
            line,
            leftOut,
            fleet,
            UNMEASURED,
            new PlacementTransaction.Settings(Settings.RESERVE_AFTER, Settings.SAY_NEVER_AFTER));
    Pace pace = new Pace();
    scheduler =
        new Scheduler(
            environment,
            passes,
            publisher,
            statuses,
            commits,
            new Unsatisfied(store, statuses, commits),
            preemptions,
            pace,
            asides,
            ends,
            UNMEASURED);
    freedRoom = new FreedRoom(leader, fleet, passes, scheduler);
    immediate =
        new ImmediatePlacements(
            environment,
            leader,
            fleet,
            new ImmediatePlacement(fleet, placing, Settings.RESERVE_AFTER),
            snapshots,
            memory,
            publisher,
            line,
            pace,
            UNMEASURED);
  }

  FreedRoom freedRoom() {
    return freedRoom;
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

  /** Of what a transaction has changed its books are told. */
  void note(Ledger committed) {
    usage.note(committed);
    memory.note(committed);
    suspects.note(committed);
    fleet.note(committed);
    line.note(committed);
  }

  /** What the sweep does for its books, and for others. */
  List<Step> further(
      GroupCounts groups, LineCounts lines, ExperimentLifecycle experiments, Retention retention) {
    return new FurtherSteps(usage, memory, suspects, groups, lines, experiments, retention).all();
  }
}
