package io.stoker.e2e.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.report.Outlet;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.HostMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An agent's way to the topics of events and heartbeats. */
final class SimOutlets {
  /** Probability that a record of events is in the partition of another job's. */
  private static final double OF_ANOTHER = 0.2;

  /** What agents of the build before do not say in a hello. */
  private static final List<String> NEWER = List.of("seat", "machine", "answer");

  private final World world;
  private final SimLog log;
  private final Machine machine;
  private final Wire wire;

  SimOutlets(World world, SimLog log, Machine machine, Wire wire) {
    this.world = world;
    this.log = log;
    this.machine = machine;
    this.wire = wire;
  }

  /** Takes records of events; some it gives up, though they may be there. */
  Outlet events() {
    return (key, record) -> {
      // As older agents, whose records have events of many jobs and the key of one of them.
      String partition = world.chance.is(OF_ANOTHER) ? "another" : key;
      machine.disk().rules().tells(record, this::runs);
      world.note(wire.life().name(), "says " + new String(record, StandardCharsets.UTF_8));
      return log.send(wire, "events", partition, record)
          .subscribeAsCompletionStage()
          .thenCompose(done -> given());
    };
  }

  private boolean runs(AttemptKey key) {
    return machine.alive().map(Machine::key).anyMatch(key::equals);
  }

  private CompletionStage<Void> given() {
    return world.fault(Fault.REPLY_LOST)
        ? CompletableFuture.failedFuture(new IllegalStateException("given up"))
        : CompletableFuture.completedFuture(null);
  }

  /** Takes what it says of its host, once: who needs to say more says it anew. */
  Outlet heartbeats() {
    return (key, record) -> {
      long sent = machine.bootMs();
      HostMessage message = message(record);
      return log.sendOnce(wire, "heartbeats", key, message)
          .invoke(
              done -> {
                if (message instanceof HostMessage.Heartbeat) {
                  machine.watchdog().renewed(sent);
                }
              })
          .subscribeAsCompletionStage();
    };
  }

  private HostMessage message(byte[] record) {
    try {
      return world.formerAgents || !machine.takesParts
          ? Json.read(asBefore((ObjectNode) Json.read(record)), HostMessage.class)
          : Json.read(record, HostMessage.class);
    } catch (MalformedJson e) {
      throw new SimulationFailure("a message that is none: " + e.getMessage(), e);
    }
  }

  /** The message of an agent of an earlier build. */
  private ObjectNode asBefore(ObjectNode tree) {
    if (world.formerAgents) {
      tree.remove(NEWER);
    }
    if (!machine.takesParts && tree.get("resources") instanceof ObjectNode resources) {
      resources.remove("parts");
    }
    return tree;
  }
}
