package io.stoker.simulation;

import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.security.Macs;
import io.stoker.simulation.SimLog.Partition;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Those who speak for a host and are not its agent: agents of the same name, and old records. */
final class Strangers {
  /** The result of what never ended. */
  static final String FORGED = "\"forged\"";

  private final World world;
  private final Partition heartbeats;
  private final SimLog log;
  private final Machine.Watcher watcher;
  private final Consumer<Machine> on;
  private final Consumer<Machine> off;
  private int twins;

  /**
   * @param on begins a machine's agent
   * @param off ends it, and its machine
   */
  Strangers(
      World world,
      SimLog log,
      Machine.Watcher watcher,
      Consumer<Machine> on,
      Consumer<Machine> off) {
    this.world = world;
    this.log = log;
    this.heartbeats = log.partitions("heartbeats").get(0);
    this.watcher = watcher;
    this.on = on;
    this.off = off;
  }

  /** Another agent of the same name, on a machine of its own, that knows as much or nothing. */
  void startTwin(Machine of) {
    String name = of.name + "twin" + ++twins;
    Machine twin = new Machine(world, name, of.host, of.gpus, of.slots, watcher);
    // Agents of the build before name no seat: of them copies are not told apart.
    boolean copied = !world.formerAgents && world.chance.is(0.5);
    world.note(name, copied ? "is switched on with a copy of the disk" : "is switched on");
    if (copied) {
      twin.disk().copy(of.disk());
    }
    on.accept(twin);
    long time = Math.min(world.chance.between(5_000, 60_000), world.calmFrom - world.now());
    world.timeline.after(
        time,
        new Life(Life.Kind.MACHINE, "fate of " + name),
        () -> {
          world.note(name, "is switched off");
          off.accept(twin);
        });
  }

  /**
   * Something of the events is in the log again, as it was, or as the end of its attempt: signed
   * with the host's key by somebody who has that and knows no token, or with a code that was of
   * another event.
   */
  void forge() {
    Partition events = world.agentChance.of(log.partitions("events"));
    if (events.end() == 0) {
      return;
    }
    int offset = world.agentChance.between(Math.max(0, events.end() - 10), events.end() - 1);
    if (world.agentChance.is(0.3)) {
      log.replay(events, offset);
      return;
    }
    try {
      byte[] record = (byte[]) events.at(offset).value();
      EventsRecord read = Json.read(record, EventsRecord.class);
      if (SimOutlets.isMisfit(record)) {
        return; // it was refused: whoever has the host's key may tell what it told before its agent
      }
      AttemptEvent end = end(read.events().getFirst());
      byte[] forged = Json.bytes(new EventsRecord(read.host(), read.epoch(), List.of(end)));
      byte[] key = Macs.hostKey(Settings.HOST_SECRET, read.host());
      log.forge(events, offset, world.agentChance.is(0.7) ? Macs.seal(key, forged) : forged);
    } catch (MalformedJson e) {
      throw new SimulationFailure("a record that cannot be read", e);
    }
  }

  private AttemptEvent end(AttemptEvent event) {
    boolean same = world.agentChance.is(0.5);
    AttemptEvent end =
        AttemptEvent.of(event.job(), event.attempt())
            .seq(same ? event.seq() : event.seq() + world.agentChance.between(1, 3))
            .type(AttemptEvent.Type.ENDED)
            .at(event.at())
            .outcome(AttemptEvent.Outcome.SUCCEEDED)
            .exitCode(0)
            .result(TextNode.valueOf("forged"))
            .mac(event.mac())
            .build();
    return world.agentChance.is(0.5) ? end : end.proven(new byte[] {7});
  }

  /** Something of the heartbeat log is in it again: mostly a hello, of which there are few. */
  void replay() {
    int[] hellos =
        IntStream.range(0, heartbeats.end())
            .filter(i -> heartbeats.at(i).value() instanceof HostMessage.Hello)
            .toArray();
    if (hellos.length > 0) {
      int offset =
          world.chance.is(0.7)
              ? hellos[world.chance.between(0, hellos.length - 1)]
              : world.chance.between(0, heartbeats.end() - 1);
      world.note("broker", "has record " + offset + " of the heartbeats again");
      log.replay(heartbeats, offset);
    }
  }
}
