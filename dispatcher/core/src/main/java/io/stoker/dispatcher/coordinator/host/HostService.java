package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.Pace;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.lease.Registration;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.HostSettings;
import io.stoker.dispatcher.runtime.Environment;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Answers what hosts say of themselves; done by the scheduler of the fleet alone. */
public final class HostService {
  private static final System.Logger LOG = System.getLogger(HostService.class.getName());

  /** How long an agent of another fleet waits until it asks again. */
  private static final long STRANGER_RETRY_MS = 30_000;

  /** A start takes two hellos, and another agent of the name says as many. */
  private static final int HELLOS_AT_ONCE = 10;

  private static final long HELLO_EVERY_MS = 1_000;
  private static final long TOLD_EVERY_MS = 2_000;
  private static final long COMPLAINT_EVERY_MS = 30_000;

  private final Environment environment;
  private final HostTransactions transactions;
  private final HostDirectory directory;
  private final AgentTeller agents;
  private final StatusPublisher statuses;
  private final Refusals refusals;
  private final PoolsTeller pools;
  private final CommitEvents events;
  private final HostTerms terms;
  private final Pace hellos = new Pace(HELLOS_AT_ONCE, HELLO_EVERY_MS);
  private final Pace complaints = new Pace(1, COMPLAINT_EVERY_MS);
  private final Pace supersessions = new Pace(1, TOLD_EVERY_MS);

  public HostService(
      Environment environment,
      HostTransactions transactions,
      HostDirectory directory,
      AgentTeller agents,
      StatusPublisher statuses,
      Refusals refusals,
      PoolsTeller pools,
      CommitEvents events,
      HostTerms terms) {
    this.environment = environment;
    this.transactions = transactions;
    this.directory = directory;
    this.agents = agents;
    this.statuses = statuses;
    this.refusals = refusals;
    this.pools = pools;
    this.events = events;
    this.terms = terms;
  }

  /**
   * Grants an epoch, tells again which one was granted, asks for an answer, or refuses. A host that
   * asks too often is not answered.
   */
  public Uni<Void> hello(Hello hello, boolean signed) {
    if (!hellos.allows(hello.host(), nowMs())) {
      return Uni.createFrom().voidItem();
    }
    return agents.open(hello.host()).chain(() -> answer(hello, signed));
  }

  private Uni<Void> answer(Hello hello, boolean signed) {
    if (!terms.fleet().equals(hello.fleet())) {
      String reason =
          "stoker.agent.fleet is %s, and this is fleet %s: set it to that, or say hello to the brokers of its own fleet"
              .formatted(hello.fleet(), terms.fleet());
      return refuse(hello, reason, STRANGER_RETRY_MS);
    }
    return transactions
        .register(hello, signed, directory.silence(hello.host()), terms.requireChallenge())
        .chain(
            answered ->
                answered.isEmpty()
                    ? Uni.createFrom().voidItem() // the scheduler of now answers
                    : answer(hello, answered.get()));
  }

  private Uni<Void> answer(Hello hello, HostTransactions.Answered answered) {
    return switch (answered.answer()) {
      case Registration.Welcomed granted ->
          welcome(new HostTransactions.Done(granted.host(), answered.ledger()));
      case Registration.Challenged asked ->
          tell(hello.host(), new ToAgent.Challenge(hello.nonce(), asked.challenge()));
      case Registration.Refusal refusal -> refuse(hello, refusal.reason(), refusal.retryMs());
    };
  }

  private Uni<Void> refuse(Hello hello, String reason, long retryMs) {
    if (complaints.allows(hello.host(), nowMs())) {
      LOG.log(
          Level.WARNING,
          "an agent%s of host %s with journal %s is not welcome: %s"
              .formatted(
                  hello.machine() == null ? "" : " on " + hello.machine(),
                  hello.host(),
                  hello.journal(),
                  reason));
    }
    return hello.seat() == null
        ? Uni.createFrom().voidItem() // it would not understand
        : tell(hello.host(), new ToAgent.Refused(hello.nonce(), reason, retryMs));
  }

  private Uni<Void> tell(String host, ToAgent answer) {
    return agents.send(host, 0, List.of(answer));
  }

  private Uni<Void> welcome(HostTransactions.Done done) {
    HostRow host = done.host();
    LOG.log(Level.INFO, "host %s holds epoch %d".formatted(host.id(), host.epoch()));
    if (!host.holder().left().isEmpty()) {
      LOG.log(
          Level.WARNING,
          ("the agent of host %s does not hold %d attempt(s) of an earlier one, which are closed once"
                  + " nothing was heard of that one for its lease")
              .formatted(host.id(), host.holder().left().size()));
    }
    directory.registered(host.id(), host.epoch());
    refusals.changed(host.id());
    return agents
        .send(host.id(), 0, terms(done))
        .chain(() -> tellSettings(host))
        .chain(() -> pools.welcomed(host))
        .invoke(() -> follow(done));
  }

  /**
   * An agent says that it is in an epoch that has a successor. It reads that there is one from
   * whatever is for that epoch, and says hello.
   */
  public Uni<Void> superseded(String host) {
    return supersessions.allows(host, nowMs())
        ? transactions
            .update(host, row -> row)
            .chain(done -> done.map(this::tellOfEpoch).orElse(Uni.createFrom().voidItem()))
        : Uni.createFrom().voidItem();
  }

  private Uni<Void> tellOfEpoch(HostTransactions.Done done) {
    HostRow row = done.host();
    ToAgent newer = new ToAgent.Clock(0, done.ledger().now());
    return agents.send(row.id(), row.epoch(), List.of(newer));
  }

  private long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(environment.nanos());
  }

  /** After the welcome, so that the agent is in the epoch, and before anything is placed there. */
  private Uni<Void> tellSettings(HostRow host) {
    return host.settings() == null
        ? Uni.createFrom().voidItem()
        : agents.send(host.id(), host.epoch(), host.settings().messages());
  }

  /**
   * Changes what people told a host, and tells its agent; if it is away, at its next hello.
   *
   * @return whether the host is known
   */
  public Uni<Boolean> tell(String host, UnaryOperator<HostSettings> change) {
    return transactions
        .update(host, row -> row.told(change))
        .chain(
            done ->
                done.isEmpty()
                    ? Uni.createFrom().item(false)
                    : tellSettings(done.get().host()).replaceWith(true));
  }

  private List<ToAgent> terms(HostTransactions.Done done) {
    return List.of(
        new ToAgent.Welcome(
            done.host().nonce(),
            done.host().epoch(),
            done.ledger().now(),
            terms.leaseMs(),
            terms.heartbeatMs(),
            terms.inventoryMs(),
            sealedEvents()));
  }

  /** Of hosts without keys each event is signed by itself. */
  private Boolean sealedEvents() {
    return terms.sealedEvents().getAsBoolean() ? true : null;
  }

  /** Compares what the agent holds with what is open, and sets its clock. */
  public Uni<Void> inventory(Inventory inventory, boolean signed) {
    return transactions
        .takeInventory(inventory, signed, directory.lastHeartbeat(inventory.host()))
        .chain(
            done -> {
              if (done.isEmpty()) {
                return Uni.createFrom().voidItem();
              }
              refusals.changed(inventory.host());
              follow(done.get());
              ToAgent clock =
                  new ToAgent.Clock(inventory.n(), done.get().ledger().now(), sealedEvents());
              return agents
                  .send(inventory.host(), inventory.epoch(), List.of(clock))
                  .chain(() -> pools.heard(done.get().host(), inventory));
            });
  }

  /** Nothing is placed on it any more; what still runs there keeps its lease. */
  public Uni<Void> goodbye(Goodbye goodbye, boolean signed) {
    return transactions
        .update(
            goodbye.host(),
            row -> row.epoch() == goodbye.epoch() && row.key().admits(signed) ? row.gone() : row)
        .replaceWithVoid();
  }

  /** Closes what was on a host whose lease ran out, unless it holds a newer epoch by now. */
  public Uni<Void> lose(String host, long epoch, boolean costsRetry) {
    LOG.log(Level.WARNING, "host %s is lost: no heartbeat within its lease".formatted(host));
    return transactions
        .lose(host, epoch, costsRetry)
        .invoke(done -> done.ifPresent(this::follow))
        .invoke(() -> directory.dropped(host, epoch))
        .replaceWithVoid();
  }

  /**
   * Closes what was on a host that people declared dead. Should it not be, its agent reads that
   * there is a newer epoch than its own, and says hello again.
   */
  public Uni<Void> bury(String host) {
    LOG.log(Level.WARNING, "host %s is declared dead".formatted(host));
    return transactions
        .bury(host)
        .chain(
            done -> {
              if (done.isEmpty()) {
                return Uni.createFrom().voidItem();
              }
              directory.dropped(host, done.get().host().epoch());
              follow(done.get());
              return tellOfEpoch(done.get());
            });
  }

  /** Closes what earlier agents of a host have left behind and nobody can run any more. */
  public Uni<Void> closeLeft(String host) {
    return transactions
        .closeLeft(host, directory.silence(host))
        .invoke(done -> done.ifPresent(this::follow))
        .replaceWithVoid();
  }

  /** A host holds nothing any more that the restored database does not know. */
  public Uni<Void> settle(String host) {
    return transactions
        .settle(host, directory.lastHeartbeat(host), directory.silence(host))
        .invoke(done -> done.ifPresent(this::follow))
        .replaceWithVoid();
  }

  /** Moves what is on a host that was to be empty by now. */
  public Uni<Void> drain(String host) {
    return transactions.drain(host).invoke(done -> done.ifPresent(this::follow)).replaceWithVoid();
  }

  private void follow(HostTransactions.Done done) {
    events.afterEnds(done.ledger());
    events.capacityChanged();
    statuses.wake();
  }
}
