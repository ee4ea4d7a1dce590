package io.stoker.simulation;

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

  private static final String MISFIT = "misfit";
  private static final String MISFIT_SEAL = "\"mac\":\"" + "0".repeat(64) + "\"}";

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
      if (wire.life().over()) {
        // Several go out at once, and its death was the last one's.
        throw new Died(wire.life());
      }
      // As older agents, whose records have events of many jobs and the key of one of them.
      String partition = world.chance.is(OF_ANOTHER) ? "another" : key;
      machine.disk().rules().tells(record, this::runs);
      world.note(wire.life().name(), "says " + new String(record, StandardCharsets.UTF_8));
      return log.send(wire, "events", partition, machine.misfit() ? misfit(record) : record)
          .subscribeAsCompletionStage()
          .thenCompose(done -> given());
    };
  }

  /** The record with another key's signature, if it is signed as a whole. */
  private static byte[] misfit(byte[] record) {
    String text = new String(record, StandardCharsets.UTF_8);
    return text.replaceFirst("\"mac\":\"[0-9a-f]{64}\"}$", MISFIT_SEAL)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Whether a record of events is signed as a whole by a key that does not fit. */
  static boolean isMisfit(byte[] record) {
    return new String(record, StandardCharsets.UTF_8).endsWith(MISFIT_SEAL);
  }

  /** Whether dispatchers believe that this comes from its host. */
  static boolean fits(HostMessage message) {
    return !MISFIT.equals(message.mac());
  }

  private boolean runs(AttemptKey key) {
    return machine.running().map(Machine::key).anyMatch(key::equals);
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
      return world.formerAgents || !machine.takesParts || machine.misfit()
          ? Json.read(asSent((ObjectNode) Json.read(record)), HostMessage.class)
          : Json.read(record, HostMessage.class);
    } catch (MalformedJson e) {
      throw new SimulationFailure("a message that is none: " + e.getMessage(), e);
    }
  }

  /** The message of an agent of an earlier build, or with another key. */
  private ObjectNode asSent(ObjectNode tree) {
    if (machine.misfit()) {
      tree.put("mac", MISFIT);
    }
    if (world.formerAgents) {
      tree.remove(NEWER);
    }
    if (!machine.takesParts && tree.get("resources") instanceof ObjectNode resources) {
      resources.remove("parts");
    }
    return tree;
  }
}
