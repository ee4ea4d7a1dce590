package io.stoker.dispatcher.service.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.dependency.FanOutPump;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.experiment.EarlyStopper;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.experiment.GroupCounts;
import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.host.HostHolds;
import io.stoker.dispatcher.coordinator.host.HostService;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.coordinator.leader.Leadership;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.LineCounts;
import io.stoker.dispatcher.coordinator.placement.PlacementsPublisher;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.coordinator.status.LastStatusCheck;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.timer.Beat;
import io.stoker.dispatcher.coordinator.timer.ClockKeeper;
import io.stoker.dispatcher.coordinator.timer.DueTimers;
import io.stoker.dispatcher.coordinator.timer.FurtherSteps;
import io.stoker.dispatcher.coordinator.timer.HostSweep;
import io.stoker.dispatcher.coordinator.timer.Retries;
import io.stoker.dispatcher.coordinator.timer.Sweep;
import io.stoker.dispatcher.coordinator.timer.Sweep.Step;
import io.stoker.dispatcher.coordinator.timer.UntoldAttempts;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.HostKeyBook;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.attempt.TakenOverEvents;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.config.Wakes.Committed;
import io.stoker.dispatcher.service.postgres.Unreadable;
import io.stoker.dispatcher.service.report.ReportMailer;
import io.stoker.dispatcher.store.Store;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/** Builds what is done each second, and what waits for nobody: retries, fan-outs. */
@ApplicationScoped
public class SweepWiring {
  /** How much is done in one transaction of work that comes in bulk. */
  private static final int AT_ONCE = 500;

  private static final int COMPARED_AT_ONCE = 2_000;

  @Produces
  @Singleton
  FanOutPump fanOuts(
      Environment environment,
      Store store,
      Settlement settlement,
      CommitEvents commits,
      StatusPublisher statuses,
      SetAsides asides,
      CodedEnd ends) {
    return new FanOutPump(environment, store, settlement, AT_ONCE, commits, statuses, asides, ends);
  }

  @Produces
  @Singleton
  Retries retries(
      Environment environment,
      Store store,
      Backoff backoff,
      CommitEvents commits,
      SetAsides asides,
      CodedEnd ends) {
    return new Retries(environment, store, AT_ONCE, backoff, commits, asides, ends);
  }

  @Produces
  @Singleton
  DueTimers timers(
      Store store,
      CommitEvents commits,
      StatusPublisher statuses,
      SetAsides asides,
      CodedEnd ends) {
    return new DueTimers(store, commits, statuses, asides, ends);
  }

  @Produces
  @Singleton
  HostSweep hostSweep(
      Store store,
      HostDirectory directory,
      HostService hosts,
      HostTransactions transactions,
      SetAsides asides) {
    return new HostSweep(store, directory, hosts, new HostHolds(transactions), asides);
  }

  @Produces
  @Singleton
  UntoldAttempts untold(
      Store store,
      HostDirectory directory,
      PlacementsPublisher placements,
      StatusPublisher statuses,
      AgentTeller agents,
      CommitEvents commits,
      SetAsides asides,
      CodedEnd ends,
      StokerConfig config) {
    return new UntoldAttempts(
        store,
        directory::lastHeartbeat,
        placements::publish,
        statuses,
        agents,
        commits,
        asides,
        ends,
        config.placement().publishAgain().toMillis());
  }

  @Produces
  @Singleton
  FurtherSteps further(
      Store store,
      UsageBook usage,
      MemoryBook memory,
      SuspectBook suspects,
      ExperimentLifecycle experiments,
      Retention retention,
      SetAsides asides) {
    return new FurtherSteps(
        usage,
        memory,
        suspects,
        new GroupCounts(store, asides),
        new LineCounts(store),
        experiments,
        retention);
  }

  @Produces
  @Singleton
  Sweep sweep(
      SetAsides asides,
      DueTimers timers,
      HostSweep hosts,
      UntoldAttempts untold,
      FurtherSteps further,
      ReportMailer mailer,
      Retries retries,
      CommitEvents commits) {
    List<Step> steps = new ArrayList<>(further.all());
    steps.add(new Step("mail", work -> true, work -> mailer.look()));
    steps.add(new Step("unreadable rows", work -> true, work -> showUnreadable(asides)));
    return new Sweep(asides, timers, hosts, untold, steps, retries, commits);
  }

  /** What was stored and cannot be read. */
  private static Uni<Void> showUnreadable(SetAsides asides) {
    for (Unreadable.Found found : Unreadable.found()) {
      asides.failed("reading stored rows", found.what(), found.why());
    }
    return Uni.createFrom().voidItem();
  }

  @Produces
  @Singleton
  ExperimentLifecycle experiments(
      Store store, StatusPublisher statuses, CommitEvents commits, SetAsides asides) {
    return new ExperimentLifecycle(store, statuses, commits, asides);
  }

  @Produces
  @Singleton
  EarlyStopper earlyStopper(
      Environment environment, Store store, StatusPublisher statuses, CommitEvents commits) {
    return new EarlyStopper(environment, store, statuses, commits);
  }

  void committed(@Observes Committed done, EarlyStopper stopper) {
    stopper.note(done.ledger());
  }

  @Produces
  @Singleton
  HostKeyBook keyBook() {
    return new HostKeyBook();
  }

  @Produces
  @Singleton
  KeyWatch keyWatch(HostKeyBook book) {
    return new KeyWatch(book);
  }

  @Produces
  @Singleton
  Beat beat(
      Environment environment,
      Store store,
      Leadership leadership,
      ClockKeeper clock,
      Sweep sweep,
      KeyWatch keys,
      CommitEvents commits,
      StatusPublisher statuses,
      TakenOverEvents events) {
    return new Beat(
        environment, store, leadership, clock, sweep, keys, commits, statuses, events::begin);
  }

  @Produces
  @Singleton
  LastStatusCheck lastStatuses(Environment environment, Store store, StatusPublisher publisher) {
    return new LastStatusCheck(environment, store, publisher, COMPARED_AT_ONCE);
  }

  @Produces
  @Singleton
  Retention retention(
      Environment environment,
      Store store,
      StatusPublisher statuses,
      StokerConfig config,
      SetAsides asides,
      MeterRegistry meters) {
    StokerConfig.Retention kept = config.retention();
    Counter requests = meters.counter("stoker.retention.dropped", "what", "requests");
    Counter jobs = meters.counter("stoker.retention.dropped", "what", "jobs");
    return new Retention(
        environment,
        store,
        statuses,
        new Retention.Terms(kept.requests(), kept.results(), kept.every()),
        asides,
        new Retention.Dropped(requests::increment, jobs::increment));
  }
}
