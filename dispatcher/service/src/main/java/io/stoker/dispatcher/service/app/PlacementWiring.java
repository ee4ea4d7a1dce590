package io.stoker.dispatcher.service.app;

import io.stoker.common.size.SendLimits;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.FreedRoom;
import io.stoker.dispatcher.coordinator.placement.ImmediatePlacements;
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
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.placement.ImmediatePlacement;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.Pace;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Sendable;
import io.stoker.dispatcher.placement.SuspectRules;
import io.stoker.dispatcher.placement.Ties;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.store.Store;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.security.SecureRandom;

/** Builds what places jobs. */
@ApplicationScoped
public class PlacementWiring {
  @Produces
  @Singleton
  UsageBook usage(Store store, Decay decay, SetAsides asides) {
    return new UsageBook(store, decay, asides);
  }

  @Produces
  @Singleton
  RunTimes runTimes() {
    return new RunTimes();
  }

  @Produces
  @Singleton
  MemoryBook memory(
      Environment environment,
      Store store,
      MemoryRules rules,
      RunTimes times,
      StokerConfig config,
      SetAsides asides) {
    MemoryBook.Learning learning =
        new MemoryBook.Learning(config.memory().learn(), config.memory().remember().toMillis());
    return new MemoryBook(environment, store, rules, times, learning, asides);
  }

  @Produces
  @Singleton
  LookAhead lookAhead(RunTimes times) {
    return new LookAhead(times);
  }

  @Produces
  @Singleton
  SuspectBook suspects(Store store, SuspectRules rules, StokerConfig config) {
    return new SuspectBook(store, rules, config.fleet());
  }

  @Produces
  @Singleton
  Preemptions preemptions(
      Store store,
      Leader leader,
      HostDirectory hosts,
      StatusPublisher statuses,
      CommitEvents commits,
      PlacementListener listener,
      StokerConfig config) {
    Preemptions.Settings settings =
        new Preemptions.Settings(
            config.preemption().enabled(), config.preemption().minRunTime().toMillis());
    return new Preemptions(store, leader, hosts, statuses, commits, listener, settings);
  }

  @Produces
  @Singleton
  Snapshots snapshots(
      HostDirectory hosts,
      Refusals refusals,
      SuspectBook suspects,
      MemoryBook memory,
      FairShare shares,
      UsageBook usage,
      LookAhead lookAhead,
      StokerConfig config) {
    Ties ties = new Ties(config.placement().seed().orElseGet(() -> new SecureRandom().nextLong()));
    return new Snapshots(hosts, refusals, suspects, memory, shares, usage, lookAhead, ties);
  }

  @Produces
  @Singleton
  LineReader line(
      Environment environment, LeftOut leftOut, PlacementListener listener, StokerConfig config) {
    return new LineReader(environment, config.placement().heads(), leftOut, listener);
  }

  @Produces
  @Singleton
  PlacementTransaction passes(
      Environment environment,
      Store store,
      Leader leader,
      Snapshots snapshots,
      Placing placing,
      LookAhead lookAhead,
      Preemptions preemptions,
      LineReader line,
      LeftOut leftOut,
      FleetMemory memory,
      PlacementListener listener,
      StokerConfig config) {
    PlacementTransaction.Settings settings =
        new PlacementTransaction.Settings(
            config.placement().reserveAfter().toMillis(),
            config.placement().sayNeverAfter().toMillis());
    return new PlacementTransaction(
        environment,
        store,
        leader,
        snapshots,
        placing,
        lookAhead,
        preemptions,
        line,
        leftOut,
        memory,
        listener,
        settings);
  }

  @Produces
  @Singleton
  PlacementsPublisher placements(
      Environment environment,
      Store store,
      AgentTeller agents,
      MemoryBook memory,
      StatusPublisher statuses,
      CommitEvents commits,
      LeftOut leftOut,
      SetAsides asides,
      CodedEnd ends) {
    return new PlacementsPublisher(
        environment,
        store,
        agents,
        memory,
        new UnsendablePlacements(store, statuses, commits),
        leftOut,
        new Sendable(SendLimits.REAL),
        asides,
        ends);
  }

  @Produces
  @Singleton
  Pace pace() {
    return new Pace();
  }

  @Produces
  @Singleton
  ImmediatePlacements immediatePlacements(
      Environment environment,
      Leader leader,
      FleetMemory fleet,
      Placing placing,
      Snapshots snapshots,
      MemoryBook memory,
      PlacementsPublisher placements,
      LineReader line,
      Pace pace,
      PlacementListener listener,
      StokerConfig config) {
    long reserveAfter = config.placement().reserveAfter().toMillis();
    return new ImmediatePlacements(
        environment,
        leader,
        fleet,
        new ImmediatePlacement(fleet, placing, reserveAfter),
        snapshots,
        memory,
        placements,
        line,
        pace,
        listener);
  }

  @Produces
  @Singleton
  FreedRoom freedRoom(
      Leader leader, FleetMemory fleet, PlacementTransaction passes, Scheduler scheduler) {
    return new FreedRoom(leader, fleet, passes, scheduler);
  }

  @Produces
  @Singleton
  Scheduler scheduler(
      Environment environment,
      Store store,
      PlacementTransaction transaction,
      PlacementsPublisher placements,
      StatusPublisher statuses,
      CommitEvents commits,
      Preemptions preemptions,
      Pace pace,
      SetAsides asides,
      CodedEnd ends,
      PlacementListener listener) {
    return new Scheduler(
        environment,
        transaction,
        placements,
        statuses,
        commits,
        new Unsatisfied(store, statuses, commits),
        preemptions,
        pace,
        asides,
        ends,
        listener);
  }
}
