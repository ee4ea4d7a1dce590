package io.stoker.dispatcher.service.app;

import io.stoker.common.size.SendLimits;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.coordinator.agent.AgentChannel;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.coordinator.host.HostClosing;
import io.stoker.dispatcher.coordinator.host.HostMessages;
import io.stoker.dispatcher.coordinator.host.HostReplies;
import io.stoker.dispatcher.coordinator.host.HostService;
import io.stoker.dispatcher.coordinator.host.HostTerms;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.coordinator.host.PoolsSender;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.leader.LeaderElection;
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
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.LeaseBook;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.host.RecentRejections.AskAgain;
import io.stoker.dispatcher.host.RecentRejections.News;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.QueueAdmission;
import io.stoker.dispatcher.kinds.KindPools;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.model.Ids;
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
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Builds the plain classes of the core over the adapters of this service. */
@ApplicationScoped
public class Wiring {
  @Singleton
  Topics topics(StokerConfig config) {
    return new Topics(config.topics().prefix());
  }

  @Singleton
  Binding binding(Ids ids, Queues queues) {
    return new Binding(ids, queues);
  }

  @Singleton
  Intake intake(Binding binding) {
    return new Intake(binding);
  }

  @Singleton
  Settlement settlement(Binding binding) {
    return new Settlement(binding, SendLimits.REAL);
  }

  @Singleton
  Placing placing(Ids ids, StokerConfig config) {
    return new Placing(ids, config.placement().acceptWithin().toMillis());
  }

  @Singleton
  FleetMemory fleetMemory() {
    return new FleetMemory();
  }

  @Singleton
  LeftOut leftOut() {
    return new LeftOut(Wiring::steadyMs);
  }

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

  @Singleton
  QueueAdmission admission(Queues queues, StokerConfig config, KindsBook kinds) {
    Map<String, Set<String>> secrets = new HashMap<>();
    config.secrets().forEach((name, secret) -> secrets.put(name, Set.copyOf(secret.queues())));
    return new QueueAdmission(queues, secrets, pool -> KindPools.secrets(kinds.current(), pool));
  }

  @Singleton
  Decay decay(StokerConfig config) {
    return new Decay(config.fairShare().halfLife().toMillis());
  }

  @Singleton
  FairShare fairShare(Queues queues, Decay decay) {
    return new FairShare(queues, decay);
  }

  @Singleton
  SuspectRules suspects(StokerConfig config) {
    StokerConfig.Suspect suspect = config.suspect();
    return new SuspectRules(
        suspect.failures(),
        suspect.window().toMillis(),
        suspect.hold().toMillis(),
        suspect.losses());
  }

  @Singleton
  MemoryRules memory(StokerConfig config) {
    return new MemoryRules(config.memory().quantile(), config.memory().margin());
  }

  @Singleton
  Backoff backoff(StokerConfig config) {
    StokerConfig.Backoff given = config.retry().backoff();
    return new Backoff(
        given.first().toMillis(), given.factor(), given.most().toMillis(), given.jitter());
  }

  @Singleton
  LeaseBook leases(StokerConfig config) {
    return new LeaseBook(config.lease().duration().toMillis(), config.lease().margin().toMillis());
  }

  @Singleton
  HostDirectory hosts(LeaseBook leases) {
    return new HostDirectory(leases, Wiring::steadyMs);
  }

  @Singleton
  RecentRejections refusals(Event<News> news, Event<AskAgain> askAgain) {
    return new RecentRejections(
        news::fire, ms -> askAgain.fire(new AskAgain(ms)), System::nanoTime);
  }

  @Singleton
  Environment environment() {
    return Environment.ofProcess(Faults::of, Aside::run);
  }

  @Singleton
  SetAsides asides(Environment environment, ShownTroubles shown) {
    return shown.counted(new SetAsides(environment, shown));
  }

  @Singleton
  StatusPublisher statuses(
      Environment environment,
      Store store,
      StatusSink sink,
      @Any Instance<StatusListener> listeners,
      SetAsides asides) {
    return new StatusPublisher(environment, store, sink, listeners, asides);
  }

  @Singleton
  CommitFollowUp followUp(CommitEvents commits, StatusPublisher statuses) {
    return new CommitFollowUp(commits, statuses);
  }

  @Singleton
  Ends ends(Store store, CommitFollowUp followUp) {
    return new Ends(store, followUp);
  }

  @Singleton
  CodedEnd codedEnd(Store store, Ends ends, SetAsides asides) {
    return new CodedEnd(store, ends, asides);
  }

  @Singleton
  AgentSender agents(
      Environment environment, Store store, AgentChannel channel, HostDirectory hosts) {
    return new AgentSender(environment, store, channel, hosts, SendLimits.REAL);
  }

  @Singleton
  LeaderElection leadership(
      Environment environment,
      Store store,
      StokerConfig config,
      Fitness fitness,
      Restoration restoration) {
    long term = config.placement().takeover().toMillis();
    return new LeaderElection(
        environment,
        store,
        new LeaderElection.Terms(
            config.fleet(),
            config.replica().orElse("dispatcher") + "-" + UUID.randomUUID(),
            term,
            Math.max(term, config.runDeadline().toMillis())),
        fitness::troubles,
        restoration);
  }

  @Singleton
  ClockKeeper clock(Environment environment, Store store, Leader leader) {
    return new ClockKeeper(environment, store, leader);
  }

  @Singleton
  HostTransactions hostTransactions(Store store, Leader leader) {
    return new HostTransactions(store, leader);
  }

  @Singleton
  PoolsSender pools(Environment environment, Store store, KindsBook kinds, AgentSender agents) {
    return new PoolsSender(environment, store, kinds::newest, agents);
  }

  void kindsChanged(@Observes KindsBook.InForce now, PoolsSender pools) {
    pools.changed(now.kinds());
  }

  @Singleton
  HostReplies hostReplies(
      Environment environment,
      AgentSender agents,
      PoolsSender pools,
      HostKeys keys,
      StokerConfig config) {
    StokerConfig.Lease lease = config.lease();
    Duration heartbeat = lease.heartbeat();
    if (heartbeat.compareTo(lease.duration()) >= 0) {
      throw new IllegalArgumentException(
          "stoker.lease.heartbeat is %s, expected less than stoker.lease.duration, which is %s"
              .formatted(heartbeat, lease.duration()));
    }
    return new HostReplies(
        environment,
        agents,
        pools,
        new HostTerms(
            config.fleet(),
            lease.requireChallenge(),
            lease.duration().toMillis(),
            heartbeat.toMillis(),
            lease.inventory().toMillis(),
            keys::required));
  }

  @Singleton
  HostService hostService(
      HostTransactions transactions,
      HostDirectory directory,
      RecentRejections rejections,
      HostReplies replies,
      CommitFollowUp followUp) {
    return new HostService(transactions, directory, rejections, replies, followUp);
  }

  @Singleton
  HostClosing hostClosing(
      HostTransactions transactions,
      HostDirectory directory,
      HostReplies replies,
      CommitFollowUp followUp) {
    return new HostClosing(transactions, directory, replies, followUp);
  }

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
