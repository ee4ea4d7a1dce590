package io.stoker.dispatcher.service.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.dependency.FanOutTask;
import io.stoker.dispatcher.coordinator.dependency.FanOutTransaction;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.coordinator.experiment.EarlyStopper;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.experiment.GroupCounts;
import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.host.HostClosing;
import io.stoker.dispatcher.coordinator.host.HostHolds;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.coordinator.host.KeyWatch;
import io.stoker.dispatcher.coordinator.leader.LeaderElection;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.LineCounts;
import io.stoker.dispatcher.coordinator.placement.PlacementsPublisher;
import io.stoker.dispatcher.coordinator.placement.Scheduler;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.coordinator.status.LastStatusCheck;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.timer.AgentReminders;
import io.stoker.dispatcher.coordinator.timer.AwaitedSteps;
import io.stoker.dispatcher.coordinator.timer.Beat;
import io.stoker.dispatcher.coordinator.timer.ClockKeeper;
import io.stoker.dispatcher.coordinator.timer.DueTimers;
import io.stoker.dispatcher.coordinator.timer.FoldSteps;
import io.stoker.dispatcher.coordinator.timer.FurtherSteps;
import io.stoker.dispatcher.coordinator.timer.HostSweep;
import io.stoker.dispatcher.coordinator.timer.OverdueAttempts;
import io.stoker.dispatcher.coordinator.timer.PendingLooks;
import io.stoker.dispatcher.coordinator.timer.Retries;
import io.stoker.dispatcher.coordinator.timer.RetriesTransaction;
import io.stoker.dispatcher.coordinator.timer.Sweep;
import io.stoker.dispatcher.coordinator.timer.Sweep.Step;
import io.stoker.dispatcher.coordinator.timer.UnacceptedAttempts;
import io.stoker.dispatcher.coordinator.timer.UntoldAttempts;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.attempt.TakenOverEvents;
import io.stoker.dispatcher.service.commit.CdiCommitEvents.Committed;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.postgres.Unreadable;
import io.stoker.dispatcher.service.report.ReportMailer;
import io.stoker.dispatcher.service.timer.BackgroundTasks;
import io.stoker.dispatcher.store.Store;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/** Builds what is done each second, and what waits for nobody: retries, fan-outs. */
@ApplicationScoped
public class SweepWiring {
  /** How much is done in one transaction of work that comes in bulk. */
  private static final int AT_ONCE = 500;

  private static final int COMPARED_AT_ONCE = 2_000;

  @Singleton
  FanOutTask fanOuts(
      Environment environment, Store store, Settlement settlement, Ends ends, CodedEnd coded) {
    return new FanOutTask(
        environment, new FanOutTransaction(store, settlement, AT_ONCE), ends, coded);
  }

  @Singleton
  Retries retries(
      Environment environment, Store store, Backoff backoff, CommitEvents commits, CodedEnd ends) {
    return new Retries(environment, new RetriesTransaction(store, AT_ONCE, backoff), commits, ends);
  }

  @Singleton
  DueTimers timers(Environment environment, Store store, Ends ends, CodedEnd coded) {
    return new DueTimers(environment, store, ends, coded);
  }

  @Singleton
  HostSweep hostSweep(
      Store store,
      HostDirectory directory,
      HostClosing hosts,
      HostTransactions transactions,
      SetAsides asides) {
    return new HostSweep(store, directory, hosts, new HostHolds(transactions), asides);
  }

  @Singleton
  UntoldAttempts untold(
      Store store,
      HostDirectory directory,
      PlacementsPublisher placements,
      StatusPublisher statuses,
      AgentSender agents,
      Ends ends,
      CodedEnd coded,
      StokerConfig config) {
    return new UntoldAttempts(
        store,
        new OverdueAttempts(store, directory::lastHeartbeat, ends, coded),
        new UnacceptedAttempts(store, placements::publish, statuses, coded.asides()),
        new AgentReminders(store, agents, ends, coded.asides()),
        config.placement().publishAgain().toMillis());
  }

  @Singleton
  FurtherSteps further(
      Store store,
      UsageBook usage,
      MemoryBook memory,
      SuspectBook suspects,
      ExperimentLifecycle experiments,
      Retention retention,
      SetAsides asides) {
    FoldSteps folds =
        new FoldSteps(
            usage, memory, suspects, new GroupCounts(store, asides), new LineCounts(store));
    return new FurtherSteps(folds, experiments, retention);
  }

  @Singleton
  Sweep sweep(
      SetAsides asides,
      DueTimers timers,
      HostSweep hosts,
      UntoldAttempts untold,
      FurtherSteps further,
      ReportMailer mailer,
      Retries retries,
      CommitEvents commits,
      TakenOverEvents events) {
    List<Step> steps = new ArrayList<>(new AwaitedSteps(timers, hosts, untold).all());
    steps.addAll(further.all());
    steps.add(new Step("mail", work -> true, work -> mailer.look()));
    steps.add(new Step("unreadable rows", work -> true, work -> showUnreadable(asides)));
    return new Sweep(asides, steps, retries, commits, events::begin);
  }

  /** What was stored and cannot be read. */
  private static Uni<Void> showUnreadable(SetAsides asides) {
    for (Unreadable.Found found : Unreadable.found()) {
      asides.failed("reading stored rows", found.what(), found.why());
    }
    return Uni.createFrom().voidItem();
  }

  @Singleton
  ExperimentLifecycle experiments(
      Environment environment, Store store, Ends ends, SetAsides asides) {
    return new ExperimentLifecycle(environment, store, ends, asides);
  }

  @Singleton
  EarlyStopper earlyStopper(Environment environment, Store store, Ends ends) {
    return new EarlyStopper(environment, store, ends);
  }

  void committed(@Observes Committed done, EarlyStopper stopper) {
    stopper.note(done.unit());
  }

  @Singleton
  HostKeyBook keyBook() {
    return new HostKeyBook();
  }

  @Singleton
  KeyWatch keyWatch(HostKeyBook book) {
    return new KeyWatch(book);
  }

  @Singleton
  PendingLooks pending(
      Environment environment,
      Store store,
      KeyWatch keys,
      CommitEvents commits,
      StatusPublisher statuses) {
    return new PendingLooks(environment, store, keys, commits, statuses);
  }

  @Singleton
  Beat beat(
      Environment environment,
      LeaderElection election,
      ClockKeeper clock,
      PendingLooks pending,
      Sweep sweep) {
    return new Beat(environment, election, clock, pending, sweep);
  }

  @Singleton
  BackgroundTasks tasks(
      TakenOverEvents events,
      Retries retries,
      Scheduler scheduler,
      FanOutTask fanOuts,
      ExperimentLifecycle experiments,
      Retention retention,
      StatusPublisher statuses) {
    return new BackgroundTasks(
        List.of(
            events::stop,
            retries::stop,
            scheduler::stop,
            fanOuts::stop,
            experiments::stop,
            retention::stop,
            statuses::stop));
  }

  @Singleton
  LastStatusCheck lastStatuses(Environment environment, Store store, StatusPublisher publisher) {
    return new LastStatusCheck(environment, store, publisher, COMPARED_AT_ONCE);
  }

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
        new Retention.Terms(kept.requests(), kept.results(), kept.hosts(), kept.every()),
        asides,
        new Retention.Dropped(requests::increment, jobs::increment));
  }
}
