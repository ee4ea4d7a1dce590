package io.stoker.e2e.simulation;

import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.Offer;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.attempt.AttemptReport;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
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

  AgentVoice(World world, SimLog log, Machine machine, Wire wire, AgentState state) {
    this.world = world;
    this.log = log;
    this.machine = machine;
    this.wire = wire;
    this.state = state;
  }

  void hello(String nonce) {
    say(
        new HostMessage.Hello(
            machine.name,
            nonce,
            machine.journalId(),
            Settings.FLEET,
            "1",
            machine.bootId(),
            resources(),
            state.held(),
            null));
  }

  void inventory(Effect.SayInventory inventory) {
    say(
        new HostMessage.Inventory(
            machine.name, inventory.epoch(), inventory.n(), resources(), state.held(), null));
  }

  void goodbye(Effect.SayGoodbye goodbye) {
    say(new HostMessage.Goodbye(machine.name, goodbye.epoch(), null));
  }

  private void say(HostMessage message) {
    log.sendOnce(wire, "heartbeats", machine.name, message)
        .subscribe()
        .with(d -> {}, world::broken);
  }

  void heartbeat(Effect.SayHeartbeat beat, Now now, Runnable acked) {
    HostMessage message =
        new HostMessage.Heartbeat(
            machine.name,
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
    log.sendOnce(wire, "heartbeats", machine.name, message)
        .subscribe()
        .with(done -> acked.run(), world::broken);
  }

  void send(AttemptEvent event, String token) {
    if (event.type() == AttemptEvent.Type.ENDED) {
      machine.sync();
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
    AttemptEvent signed = event.signed(Macs.sign(Base64.getDecoder().decode(token), event));
    AttemptReport report = new AttemptReport(machine.name, signed, Json.tree(signed));
    // As older agents, whose records have events of many jobs and the key of one of them.
    String key = world.chance.is(OF_ANOTHER) ? "another" : event.job();
    log.send(wire, "events", key, report).subscribe().with(d -> {}, world::broken);
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
        null);
  }

  private String refuses() {
    Now now = new Now(machine.bootMs(), world.databaseNow());
    return Offer.of(state, Map.of(), 0, OptionalLong.empty(), now).refuses();
  }
}
