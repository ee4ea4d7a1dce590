package io.stoker.e2e.simulation;

import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.Offer;
import io.stoker.agent.report.EventsVoice;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.security.Macs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What an agent says to the dispatchers. */
final class AgentVoice {
  /** Probability that an event is in the partition of another job's. */
  private static final double OF_ANOTHER = 0.2;

  private final World world;
  private final SimLog log;
  private final Machine machine;
  private final Wire wire;
  private final AgentState state;
  private final EventsVoice events;
  private final List<Effect.Send> heldBack = new ArrayList<>();

  AgentVoice(World world, SimLog log, Machine machine, Wire wire, AgentState state) {
    this.world = world;
    this.log = log;
    this.machine = machine;
    this.wire = wire;
    this.state = state;
    byte[] key = Macs.hostKey(Settings.HOST_SECRET, machine.host);
    this.events =
        new EventsVoice(machine.host, machine.seals ? Optional.of(key) : Optional.empty());
  }

  void hello(Effect.SayHello hello) {
    boolean former = world.formerAgents;
    say(
        new HostMessage.Hello(
            machine.host,
            hello.nonce(),
            machine.disk().journalId(),
            Settings.FLEET,
            "1",
            machine.bootId(),
            resources(),
            state.held(),
            former ? null : machine.seat(),
            former ? null : machine.name,
            former ? null : hello.answer().orElse(null),
            null));
  }

  void inventory(Effect.SayInventory inventory) {
    say(
        new HostMessage.Inventory(
            machine.host, inventory.epoch(), inventory.n(), resources(), state.held(), null));
  }

  void goodbye(Effect.SayGoodbye goodbye) {
    say(new HostMessage.Goodbye(machine.host, goodbye.epoch(), null));
  }

  private void say(HostMessage message) {
    log.sendOnce(wire, "heartbeats", machine.host, message)
        .subscribe()
        .with(d -> {}, world::broken);
  }

  void heartbeat(Effect.SayHeartbeat beat, Now now, Runnable acked) {
    HostMessage message =
        new HostMessage.Heartbeat(
            machine.host,
            beat.epoch(),
            beat.n(),
            now.wallMs(),
            state.lease().dispatcherAtLeast(now.bootMs()).orElse(0),
            state.held(),
            state.reserved(),
            List.of(),
            null,
            null,
            machine.memory().free(),
            null);
    log.sendOnce(wire, "heartbeats", machine.host, message)
        .subscribe()
        .with(done -> acked.run(), world::broken);
  }

  /** As Reporter: without an epoch it holds back. */
  void sendHeldBack() {
    if (state.lease().epoch().isPresent()) {
      List<Effect.Send> all = List.copyOf(heldBack);
      heldBack.clear();
      all.forEach(one -> send(one.event(), one.token()));
    }
  }

  void send(AttemptEvent event, String token) {
    if (state.lease().epoch().isEmpty()) {
      heldBack.add(new Effect.Send(event, token));
      return;
    }
    if (event.type() == AttemptEvent.Type.ENDED) {
      machine.disk().sync();
    }
    world.note(
        wire.life().name(),
        "says "
            + event.type()
            + " "
            + event.outcome()
            + " of "
            + event.job()
            + "-"
            + event.attempt()
            + " seq "
            + event.seq());
    byte[] record =
        events
            .record(
                state.lease().epoch().getAsLong(),
                state.lease().sealedEvents(),
                new Effect.Send(event, token))
            .orElseThrow();
    // As older agents, whose records have events of many jobs and the key of one of them.
    String key = world.chance.is(OF_ANOTHER) ? "another" : event.job();
    log.send(wire, "events", key, record).subscribe().with(d -> {}, world::broken);
  }

  private HostResources resources() {
    List<DeviceInfo> devices = new ArrayList<>();
    for (int i = 0; i < machine.gpus; i++) {
      devices.add(new DeviceInfo("" + i, "GPU-" + i, "model", MachineMemory.OF_GPU, null));
    }
    return new HostResources(
        devices,
        machine.slots,
        Map.of(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        MachineMemory.OF_HOST,
        refuses(),
        null,
        null,
        machine.takesParts ? true : null);
  }

  private String refuses() {
    Now now = new Now(machine.bootMs(), world.databaseNow());
    return Offer.of(state, Map.of(), 0, OptionalLong.empty(), now).refuses();
  }
}
