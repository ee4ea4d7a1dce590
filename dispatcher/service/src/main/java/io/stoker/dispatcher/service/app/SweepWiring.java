package io.stoker.dispatcher.service.app;

import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.dependency.FanOutPump;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.host.HostService;
import io.stoker.dispatcher.coordinator.placement.PlacementsPublisher;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.timer.DueTimers;
import io.stoker.dispatcher.coordinator.timer.HostSweep;
import io.stoker.dispatcher.coordinator.timer.Retries;
import io.stoker.dispatcher.coordinator.timer.Sweep;
import io.stoker.dispatcher.coordinator.timer.UntoldAttempts;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.timer.FurtherSteps;
import io.stoker.dispatcher.store.Store;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Builds what is done each second, and what waits for nobody: retries, fan-outs. */
@ApplicationScoped
public class SweepWiring {
  /** How much is done in one transaction of work that comes in bulk. */
  private static final int AT_ONCE = 500;

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
      Environment environment, Store store, CommitEvents commits, SetAsides asides, CodedEnd ends) {
    return new Retries(environment, store, AT_ONCE, commits, asides, ends);
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
  HostSweep hostSweep(Store store, HostDirectory directory, HostService hosts, SetAsides asides) {
    return new HostSweep(store, directory, hosts, asides);
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
  Sweep sweep(
      SetAsides asides,
      DueTimers timers,
      HostSweep hosts,
      UntoldAttempts untold,
      FurtherSteps further,
      Retries retries,
      CommitEvents commits) {
    return new Sweep(asides, timers, hosts, untold, further.all(), retries, commits);
  }
}
