package io.stoker.common.message;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import java.util.List;

/**
 * One record on the events topic: what happened to attempts on one host.
 *
 * @param v version of the format, 1
 * @param host the host it happened on
 * @param epoch the epoch in which it is reported
 * @param events at least one; of one attempt in rising {@code seq}
 */
public record EventsRecord(int v, String host, long epoch, List<AttemptEvent> events) {
  public static final int VERSION = 1;

  public EventsRecord(String host, long epoch, List<AttemptEvent> events) {
    this(VERSION, host, epoch, events);
  }

  /**
   * A record as it is sent.
   *
   * @param events of this version, each with its code
   */
  public static byte[] bytes(String host, long epoch, ArrayNode events) {
    ObjectNode record = JsonNodeFactory.instance.objectNode();
    record.put("v", VERSION).put("host", host).put("epoch", epoch).set("events", events);
    return Json.bytes(record);
  }
}
