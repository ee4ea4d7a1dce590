package io.stoker.dispatcher.service.app;

import io.stoker.common.life.Setting;
import io.stoker.common.size.SendLimits;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.end.Ends;
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
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.placement.ImmediatePlacement;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Sendable;
import io.stoker.dispatcher.placement.SuspectRules;
import io.stoker.dispatcher.placement.ThroughputEstimate;
import io.stoker.dispatcher.placement.TieBreaker;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.store.Store;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;
import java.security.SecureRandom;

/** Builds what places jobs. */
@ApplicationScoped
public class PlacementWiring {
  @Singleton
  UsageBook usage(Store store, Decay decay, SetAsides asides) {
    return new UsageBook(store, decay, asides);
  }

  @Singleton
  RunTimes runTimes() {
    return new RunTimes();
  }

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

  @Singleton
  LookAhead lookAhead(RunTimes times) {
    return new LookAhead(times);
  }

  @Singleton
  SuspectBook suspects(Store store, SuspectRules rules, StokerConfig config) {
    return new SuspectBook(store, rules, config.fleet());
  }

  @Singleton
  Preemptions preemptions(HostDirectory hosts, StokerConfig config) {
    Preemptions.Settings settings =
        new Preemptions.Settings(
            config.preemption().enabled(), config.preemption().minRunTime().toMillis());
    return new Preemptions(hosts, settings);
  }

  @Singleton
  HostAvailability availability(
      HostDirectory hosts, RecentRejections rejections, SuspectBook suspects) {
    return new HostAvailability(hosts, rejections, suspects);
  }

  @Singleton
  QueueStandings standings(FairShare shares, UsageBook usage) {
    return new QueueStandings(shares, usage);
  }

  @Singleton
  Snapshots snapshots(
      HostAvailability availability,
      QueueStandings standings,
      MemoryBook memory,
      LookAhead lookAhead,
      StokerConfig config) {
    TieBreaker ties =
        new TieBreaker(config.placement().seed().orElseGet(() -> new SecureRandom().nextLong()));
    return new Snapshots(availability, standings, memory, lookAhead, ties);
  }

  @Singleton
  LineReader line(
      Environment environment, LeftOut leftOut, PlacementListener listener, StokerConfig config) {
    int heads = (int) Setting.count("stoker.placement.heads", 1, config.placement().heads());
    return new LineReader(environment, heads, leftOut, listener);
  }

  @Singleton
  FleetReaders readers(Environment environment, Leader leader, FleetMemory memory) {
    return new FleetReaders(environment, leader, memory);
  }

  @Singleton
  PassDecisions decisions(
      Environment environment,
      Snapshots snapshots,
      LineReader line,
      PlacementListener listener,
      StokerConfig config) {
    PassDecisions.Settings settings =
        new PassDecisions.Settings(
            config.placement().reserveAfter().toMillis(),
            config.placement().sayNeverAfter().toMillis());
    return new PassDecisions(environment, snapshots, line, listener, settings);
  }

  @Singleton
  PassInTransaction passes(
      PassDecisions decisions, Placing placing, LookAhead lookAhead, Preemptions preemptions) {
    return new PassInTransaction(decisions, placing, lookAhead, preemptions);
  }

  @Singleton
  PlacementTransaction transaction(
      Store store, Leader leader, FleetReaders readers, PassInTransaction passes) {
    return new PlacementTransaction(store, leader, readers, passes);
  }

  @Singleton
  PlacementsPublisher placements(
      Environment environment,
      Store store,
      AgentSender agents,
      MemoryBook memory,
      Ends ends,
      LeftOut leftOut,
      CodedEnd coded) {
    return new PlacementsPublisher(
        environment,
        new PlacementMessages(store, memory),
        agents,
        new UnsendablePlacements(ends, new Sendable(SendLimits.REAL), leftOut),
        coded);
  }

  @Singleton
  ThroughputEstimate throughput() {
    return new ThroughputEstimate();
  }

  @Singleton
  CommittedPlacements committed(
      Environment environment,
      PlacementsPublisher publisher,
      ThroughputEstimate throughput,
      PlacementListener listener) {
    return new CommittedPlacements(environment, publisher, throughput, listener);
  }

  @Singleton
  ImmediateLook immediateLook(
      Environment environment,
      Leader leader,
      FleetMemory fleet,
      MemoryBook memory,
      LineReader line) {
    return new ImmediateLook(environment, leader, fleet, memory, line);
  }

  @Singleton
  ImmediatePlacements immediatePlacements(
      ImmediateLook looks,
      FleetMemory fleet,
      Placing placing,
      Snapshots snapshots,
      CommittedPlacements placements,
      StokerConfig config) {
    long reserveAfter = config.placement().reserveAfter().toMillis();
    return new ImmediatePlacements(
        looks, new ImmediatePlacement(fleet, placing, reserveAfter), snapshots, placements);
  }

  @Singleton
  FreedCapacity freedCapacity(FleetReaders readers, PassInTransaction passes, Scheduler scheduler) {
    return new FreedCapacity(readers, passes, scheduler);
  }

  @Singleton
  PassFollowUp followUp(
      Store store,
      CommittedPlacements placements,
      CommitFollowUp commits,
      Leader leader,
      PlacementListener listener,
      Ends ends,
      CodedEnd coded) {
    return new PassFollowUp(
        placements,
        commits,
        new Unsatisfied(store, ends),
        new PreemptionTransaction(store, leader, ends, listener),
        coded);
  }

  @Singleton
  Scheduler scheduler(
      Environment environment,
      PlacementTransaction transaction,
      PassFollowUp followUp,
      ThroughputEstimate throughput,
      PlacementListener listener) {
    return new Scheduler(environment, transaction, followUp, throughput, listener);
  }
}
