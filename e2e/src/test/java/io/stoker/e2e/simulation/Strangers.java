package io.stoker.e2e.simulation;

import io.stoker.common.message.HostMessage;
import io.stoker.e2e.simulation.SimLog.Partition;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Those who speak for a host and are not its agent: agents of the same name, and old records. */
final class Strangers {
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
