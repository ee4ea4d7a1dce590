package io.stoker.dispatcher.service.app;

import io.stoker.common.size.SendLimits;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.coordinator.agent.AgentChannel;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.host.HostMessages;
import io.stoker.dispatcher.coordinator.host.HostService;
import io.stoker.dispatcher.coordinator.host.HostTerms;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.coordinator.host.PoolsTeller;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.leader.Leadership;
import io.stoker.dispatcher.coordinator.leader.Restoration;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.status.StatusSink;
import io.stoker.dispatcher.coordinator.timer.ClockKeeper;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.QueueDoor;
import io.stoker.dispatcher.kinds.KindPools;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.LeaseBook;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.lease.Refusals.AskAgain;
import io.stoker.dispatcher.lease.Refusals.News;
import io.stoker.dispatcher.ledger.Ids;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.SuspectRules;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.aside.ShownTroubles;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.kinds.KindsBook;
import io.stoker.dispatcher.service.leader.Fitness;
import io.stoker.dispatcher.service.runtime.Aside;
import io.stoker.dispatcher.service.runtime.Faults;
import io.stoker.dispatcher.status.StatusListener;
import io.stoker.dispatcher.store.Store;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Builds the plain classes of the core over the adapters of this service. */
@ApplicationScoped
public class Wiring {
  @Produces
  @Singleton
  Topics topics(StokerConfig config) {
    return new Topics(config.topics().prefix());
  }

  @Produces
  @Singleton
  Binding binding(Ids ids, Queues queues) {
    return new Binding(ids, queues);
  }

  @Produces
  @Singleton
  Intake intake(Binding binding) {
    return new Intake(binding);
  }

  @Produces
  @Singleton
  Settlement settlement(Binding binding) {
    return new Settlement(binding, SendLimits.REAL);
  }

  @Produces
  @Singleton
  Placing placing(Ids ids, StokerConfig config) {
    return new Placing(ids, config.placement().acceptWithin().toMillis());
  }

  @Produces
  @Singleton
  FleetMemory fleetMemory() {
    return new FleetMemory();
  }

  @Produces
  @Singleton
  LeftOut leftOut() {
    return new LeftOut(Wiring::steadyMs);
  }

  @Produces
  @Singleton
  Queues queues(StokerConfig config) {
    return new Queues(
        config.queues().entrySet().stream()
            .map(entry -> settings(entry.getKey(), entry.getValue()))
            .toList());
  }

  private static QueueSettings settings(String name, StokerConfig.Queue queue) {
    boolean open = queue.open().orElse(QueueSettings.plain(name).open());
    return new QueueSettings(
        name,
        queue.weight(),
        queue.maxRunning(),
        queue.maxQueued(),
        open,
        queue.failUnsatisfiable(),
        queue.isolated(),
        queue.aging());
  }

  @Produces
  @Singleton
  QueueDoor door(Queues queues, StokerConfig config, KindsBook kinds) {
    Map<String, Set<String>> secrets = new HashMap<>();
    config.secrets().forEach((name, secret) -> secrets.put(name, Set.copyOf(secret.queues())));
    return new QueueDoor(queues, secrets, pool -> KindPools.secrets(kinds.current(), pool));
  }

  @Produces
  @Singleton
  Decay decay(StokerConfig config) {
    return new Decay(config.fairShare().halfLife().toMillis());
  }

  @Produces
  @Singleton
  FairShare fairShare(Queues queues, Decay decay) {
    return new FairShare(queues, decay);
  }

  @Produces
  @Singleton
  SuspectRules suspects(StokerConfig config) {
    StokerConfig.Suspect suspect = config.suspect();
    return new SuspectRules(
        suspect.failures(),
        suspect.window().toMillis(),
        suspect.hold().toMillis(),
        suspect.losses());
  }

  @Produces
  @Singleton
  MemoryRules memory(StokerConfig config) {
    return new MemoryRules(config.memory().quantile(), config.memory().margin());
  }

  @Produces
  @Singleton
  Backoff backoff(StokerConfig config) {
    StokerConfig.Backoff given = config.retry().backoff();
    return new Backoff(
        given.first().toMillis(), given.factor(), given.most().toMillis(), given.jitter());
  }

  @Produces
  @Singleton
  LeaseBook leases(StokerConfig config) {
    return new LeaseBook(config.lease().duration().toMillis(), config.lease().margin().toMillis());
  }

  @Produces
  @Singleton
  HostDirectory hosts(LeaseBook leases) {
    return new HostDirectory(leases, Wiring::steadyMs);
  }

  @Produces
  @Singleton
  Refusals refusals(Event<News> news, Event<AskAgain> askAgain) {
    return new Refusals(news::fire, ms -> askAgain.fire(new AskAgain(ms)), System::nanoTime);
  }

  @Produces
  @Singleton
  Environment environment() {
    return Environment.ofProcess(Faults::of, Aside::run);
  }

  @Produces
  @Singleton
  SetAsides asides(Environment environment, ShownTroubles shown) {
    return shown.counted(new SetAsides(environment, shown));
  }

  @Produces
  @Singleton
  StatusPublisher statuses(
      Environment environment,
      Store store,
      StatusSink sink,
      @Any Instance<StatusListener> listeners,
      SetAsides asides) {
    return new StatusPublisher(environment, store, sink, listeners, asides);
  }

  @Produces
  @Singleton
  CodedEnd ends(Store store, CommitEvents commits, StatusPublisher statuses) {
    return new CodedEnd(store, commits, statuses);
  }

  @Produces
  @Singleton
  AgentTeller agents(
      Environment environment, Store store, AgentChannel channel, HostDirectory hosts) {
    return new AgentTeller(environment, store, channel, hosts, SendLimits.REAL);
  }

  @Produces
  @Singleton
  Leadership leadership(
      Environment environment,
      Store store,
      StokerConfig config,
      Fitness fitness,
      Restoration restoration) {
    long term = config.placement().takeover().toMillis();
    return new Leadership(
        environment,
        store,
        new Leadership.Terms(
            config.fleet(),
            config.replica().orElse("dispatcher") + "-" + UUID.randomUUID(),
            term,
            Math.max(term, config.runDeadline().toMillis())),
        fitness::troubles,
        restoration);
  }

  @Produces
  @Singleton
  ClockKeeper clock(Environment environment, Store store, Leader leader) {
    return new ClockKeeper(environment, store, leader);
  }

  @Produces
  @Singleton
  HostTransactions hostTransactions(Store store, Leader leader) {
    return new HostTransactions(store, leader);
  }

  @Produces
  @Singleton
  PoolsTeller pools(Environment environment, Store store, KindsBook kinds, AgentTeller agents) {
    return new PoolsTeller(environment, store, kinds::newest, agents);
  }

  void kindsChanged(@Observes KindsBook.InForce now, PoolsTeller pools) {
    pools.changed(now.kinds());
  }

  @Produces
  @Singleton
  HostService hostService(
      Environment environment,
      HostTransactions transactions,
      HostDirectory directory,
      AgentTeller agents,
      StatusPublisher statuses,
      Refusals refusals,
      PoolsTeller pools,
      CommitEvents events,
      HostKeys keys,
      StokerConfig config) {
    StokerConfig.Lease lease = config.lease();
    return new HostService(
        environment,
        transactions,
        directory,
        agents,
        statuses,
        refusals,
        pools,
        events,
        new HostTerms(
            config.fleet(),
            lease.requireChallenge(),
            lease.duration().toMillis(),
            lease.heartbeat().toMillis(),
            lease.inventory().toMillis(),
            keys::required));
  }

  @Produces
  @Singleton
  HostMessages hostMessages(
      Environment environment,
      HostDirectory directory,
      HostService service,
      Leader leader,
      CommitEvents events) {
    return new HostMessages(environment, directory, service, leader, events);
  }

  private static long steadyMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
