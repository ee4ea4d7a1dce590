package io.stoker.e2e.stack;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import java.util.List;

/** A request as a producer writes it, grown field by field. */
public record Posted(String id, ObjectNode body) {

  /** A request that runs a shell script. */
  public static Posted script(String id, String script) {
    return bare(id).with("command", List.of("sh", "-c", script));
  }

  /** A request of an id alone. */
  public static Posted bare(String id) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", id);
    return new Posted(id, body);
  }

  /** The same meaning under another id. */
  public Posted as(String otherId) {
    ObjectNode copy = body.deepCopy();
    copy.put("id", otherId);
    return new Posted(otherId, copy);
  }

  public Posted dependingOn(String... ids) {
    return with("dependsOn", List.of(ids));
  }

  public Posted with(String field, Object value) {
    ObjectNode copy = body.deepCopy();
    copy.set(field, Json.tree(value));
    return new Posted(id, copy);
  }

  public byte[] bytes() {
    return Json.bytes(body);
  }
}
