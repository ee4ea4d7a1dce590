package io.stoker.dispatcher.coordinator.control;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.JsonRules.Violation;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.request.RequestId;
import io.stoker.dispatcher.coordinator.record.Received;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A record of the control topic and what it asks for.
 *
 * @param message null if the record is not readable
 * @param flaw why it is not; null if it is
 */
record ControlRecord(Received record, ControlMessage message, String flaw) {
  static ControlRecord read(Received record) {
    try {
      JsonNode tree = Json.read(record.content());
      Optional<Violation> broken = JsonRules.unstorable(tree);
      return broken.isPresent()
          ? new ControlRecord(record, null, broken.get().sentence())
          : new ControlRecord(record, Json.read(tree, ControlMessage.class), null);
    } catch (MalformedJson e) {
      return new ControlRecord(record, null, "no control message: " + e.getMessage());
    }
  }

  /**
   * Splits records into runs which are done one after the other, in their order: adjacent cancels
   * of possible ids are one run, for whoever cancels what thousands posted sends thousands of them;
   * anything else is a run of its own.
   */
  static List<List<ControlRecord>> runs(Iterable<Received> records) {
    List<List<ControlRecord>> runs = new ArrayList<>();
    boolean joins = false;
    for (Received record : records) {
      ControlRecord asked = read(record);
      boolean cancels = asked.cancels();
      if (!cancels || !joins) {
        runs.add(new ArrayList<>());
      }
      runs.getLast().add(asked);
      joins = cancels;
    }
    return runs;
  }

  private boolean cancels() {
    return message instanceof ControlMessage.Cancel cancel
        && cancel.request() != null
        && RequestId.isValid(cancel.request());
  }
}
