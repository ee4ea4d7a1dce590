package io.stoker.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.agent.report.Outlet;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What an agent says of its host, with one of its promises broken. */
final class FlawedTopics {
  /** By so much a clock is ahead, in ms. */
  private static final long AHEAD = 10_000;

  private final World world;

  FlawedTopics(World world) {
    this.world = world;
  }

  Outlet heartbeats(Outlet outlet) {
    if (world.defects.isEmpty()) {
      return outlet;
    }
    return (key, record) -> {
      CompletionStage<Void> sent = outlet.send(key, Json.bytes(said(read(record))));
      return world.has(Defect.RENEW_BEFORE_BROKER) ? CompletableFuture.completedFuture(null) : sent;
    };
  }

  private ObjectNode said(ObjectNode message) {
    switch (message.get("type").asText()) {
      case "hello", "inventory" -> hide(message, Defect.HIDE_HELD);
      case "heartbeat" -> {
        hide(message, Defect.HIDE_HELD);
        hide(message, Defect.EMPTY_HEARTBEATS);
        if (world.has(Defect.PROVE_BY_FAST_CLOCK)) {
          message.put("clock", message.get("clock").asLong() + AHEAD);
        }
      }
      default -> {}
    }
    if (world.has(Defect.HIDE_OUTCOMES)) {
      message.path("held").forEach(held -> ((ObjectNode) held).remove(List.of("outcome")));
    }
    return message;
  }

  private void hide(ObjectNode message, Defect defect) {
    if (world.has(defect)) {
      message.putArray("held");
    }
  }

  private static ObjectNode read(byte[] record) {
    try {
      JsonNode tree = Json.read(record);
      return (ObjectNode) tree;
    } catch (MalformedJson e) {
      throw new SimulationFailure("a record that is none: " + e.getMessage(), e);
    }
  }
}
