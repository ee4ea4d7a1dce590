package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.host.HostRateLimit;
import io.stoker.dispatcher.host.Registration;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.runtime.Environment;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tells agents what they are granted, asked for, or refused, and none of it too often. */
public final class HostReplies {
  private static final System.Logger LOG = System.getLogger(HostReplies.class.getName());

  /** How long an agent of another fleet waits until it asks again. */
  private static final long STRANGER_RETRY_MS = 30_000;

  /** A start takes two hellos, and another agent of the name says as many. */
  private static final int HELLOS_AT_ONCE = 10;

  private static final long HELLO_EVERY_MS = 1_000;
  private static final long TOLD_EVERY_MS = 2_000;
  private static final long COMPLAINT_EVERY_MS = 30_000;
  private static final long SETTINGS_EVERY_MS = 30_000;

  private final Environment environment;
  private final AgentSender agents;
  private final PoolsSender pools;
  private final HostTerms terms;
  private final HostRateLimit hellos = new HostRateLimit(HELLOS_AT_ONCE, HELLO_EVERY_MS);
  private final HostRateLimit complaints = new HostRateLimit(1, COMPLAINT_EVERY_MS);
  private final HostRateLimit supersessions = new HostRateLimit(1, TOLD_EVERY_MS);
  private final HostRateLimit settings = new HostRateLimit(1, SETTINGS_EVERY_MS);

  public HostReplies(
      Environment environment, AgentSender agents, PoolsSender pools, HostTerms terms) {
    this.environment = environment;
    this.agents = agents;
    this.pools = pools;
    this.terms = terms;
  }

  /** Whether each hello is to answer a challenge. */
  boolean requireChallenge() {
    return terms.requireChallenge();
  }

  /** Whether it is not too soon for an answer to a hello. */
  boolean mayAnswer(Hello hello) {
    return hellos.allows(hello.host(), environment.steadyMs());
  }

  /** Whether it is not too soon to tell an agent that it is superseded. */
  boolean mayTellNewerEpoch(String host) {
    return supersessions.allows(host, environment.steadyMs());
  }

  /** Makes sure that the host can be told anything. */
  Uni<Void> open(String host) {
    return agents.open(host);
  }

  /** Refuses one that is of another fleet; nothing if it is of this one. */
  Optional<Uni<Void>> stranger(Hello hello) {
    if (terms.fleet().equals(hello.fleet())) {
      return Optional.empty();
    }
    String reason =
        "stoker.agent.fleet is %s, and this is fleet %s: set it to that, or say hello to the brokers of its own fleet"
            .formatted(hello.fleet(), terms.fleet());
    return Optional.of(refuse(hello, reason, STRANGER_RETRY_MS));
  }

  Uni<Void> refuse(Hello hello, Registration.Refusal refusal) {
    return refuse(hello, refusal.reason(), refusal.retryMs());
  }

  private Uni<Void> refuse(Hello hello, String reason, long retryMs) {
    if (complaints.allows(hello.host(), environment.steadyMs())) {
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

  Uni<Void> challenge(Hello hello, Registration.Challenged asked) {
    return tell(hello.host(), new ToAgent.Challenge(hello.nonce(), asked.challenge()));
  }

  private Uni<Void> tell(String host, ToAgent answer) {
    return agents.send(host, 0, List.of(answer));
  }

  /** Grants an epoch, and tells what else holds for the host. */
  Uni<Void> welcome(HostTransactions.Done done) {
    HostRow host = done.host();
    return agents
        .send(host.id(), 0, terms(done))
        .chain(() -> settings(host))
        .chain(() -> pools.welcomed(host));
  }

  private List<ToAgent> terms(HostTransactions.Done done) {
    return List.of(
        new ToAgent.Welcome(
            done.host().grant().nonce(),
            done.host().epoch(),
            done.unit().now(),
            terms.leaseMs(),
            terms.heartbeatMs(),
            terms.inventoryMs(),
            sealedEvents()));
  }

  /** Of hosts without keys each event is signed by itself. */
  private Boolean sealedEvents() {
    return terms.sealedEvents().getAsBoolean() ? true : null;
  }

  /** After the welcome, so that the agent is in the epoch, and before anything is placed there. */
  Uni<Void> settings(HostRow host) {
    return host.settings() == null
        ? Uni.createFrom().voidItem()
        : agents.send(host.id(), host.epoch(), host.settings().messages());
  }

  /** That there is a newer epoch than that for which this is read. */
  Uni<Void> newerEpoch(HostTransactions.Done done) {
    HostRow row = done.host();
    ToAgent newer = new ToAgent.Clock(0, done.unit().now());
    return agents.send(row.id(), row.epoch(), List.of(newer));
  }

  /** Sets its clock, and tells what it has not heard of. */
  Uni<Void> inventory(HostTransactions.Done done, Inventory inventory) {
    ToAgent clock = new ToAgent.Clock(inventory.n(), done.unit().now(), sealedEvents());
    List<ToAgent> told = new ArrayList<>(List.of(clock));
    told.addAll(unheard(done.host(), inventory));
    return agents
        .send(inventory.host(), inventory.epoch(), told)
        .chain(() -> pools.heard(done.host(), inventory));
  }

  /** An agent that cannot do as it is told says so at once, by another inventory. */
  private List<ToAgent> unheard(HostRow host, Inventory inventory) {
    return host.settings() != null
            && host.settings().unheard(inventory.resources().answers())
            && settings.allows(host.id(), environment.steadyMs())
        ? host.settings().messages()
        : List.of();
  }
}
