package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.coordinator.agent.AgentChannel;
import io.stoker.dispatcher.host.AgentRecords.Written;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The topics of hosts, which are all there. */
final class SimAgentTopics implements AgentChannel {
  private final World world;
  private final SimLog log;
  private final Wire wire;

  /** What hosts have said, for a dispatcher that {@linkplain Defect#NO_CHALLENGE asks nobody}. */
  private final Map<String, Hello> hellos = new HashMap<>();

  private Consumer<HostMessage> take = message -> {};

  SimAgentTopics(World world, SimLog log, Wire wire) {
    this.world = world;
    this.log = log;
    this.wire = wire;
  }

  /** Hears what whoever answers on these topics takes in. */
  Consumer<HostMessage> hears(Consumer<HostMessage> takes) {
    if (!world.has(Defect.NO_CHALLENGE)) {
      return takes;
    }
    take = takes;
    return message -> {
      if (message instanceof Hello hello) {
        hellos.put(hello.nonce(), hello);
      }
      takes.accept(message);
    };
  }

  @Override
  public Uni<Void> open(String host) {
    return Uni.createFrom().voidItem();
  }

  @Override
  public Uni<Void> send(String host, Written written) {
    ToAgent first = written.record().messages().getFirst();
    Optional<Hello> unasked =
        first instanceof ToAgent.Challenge asked
            ? Optional.ofNullable(hellos.get(asked.nonce())).map(hello -> answering(hello, asked))
            : Optional.empty();
    if (unasked.isPresent()) {
      take.accept(unasked.get());
      return Uni.createFrom().voidItem();
    }
    note(host, first);
    if (first instanceof ToAgent.CallBack && world.rough()) {
      return called(host, written);
    }
    return sent(host, written);
  }

  /** A call back is owed by nobody: it is lost, comes late, or twice. */
  private Uni<Void> called(String host, Written written) {
    int fate = world.aheadChance.between(0, 9);
    if (fate > 7) {
      int late = world.aheadChance.between(10, 8_000);
      world.timeline.after(late, wire.life(), () -> sendOn(host, written));
    }
    return fate == 0 || fate == 9 ? Uni.createFrom().voidItem() : sent(host, written);
  }

  private void sendOn(String host, Written written) {
    sent(host, written).subscribe().with(done -> {}, world::broken);
  }

  private Uni<Void> sent(String host, Written written) {
    return log.send(wire, "placements." + host, host, written.record());
  }

  private void note(String host, ToAgent message) {
    if (message instanceof ToAgent.Refused) {
      world.refusals++;
    } else if (message instanceof ToAgent.Welcome welcome) {
      world.note(wire.life().name(), host + " holds epoch " + welcome.epoch());
    }
  }

  private static Hello answering(Hello hello, ToAgent.Challenge asked) {
    return new Hello(
        hello.host(),
        hello.nonce(),
        hello.journal(),
        hello.fleet(),
        hello.version(),
        hello.bootId(),
        hello.resources(),
        hello.held(),
        hello.seat(),
        hello.machine(),
        asked.challenge(),
        hello.signsOutput(),
        null);
  }
}
