package io.stoker.cli.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.util.Map;

/** Builds statuses of which a test says only what matters to it. */
public final class AStatus {
  private final ObjectNode fields;

  private AStatus(String id, RequestState state, long version) {
    fields = (ObjectNode) Json.tree(Map.of("id", id, "state", state.name()));
    fields.put("version", version).put("shared", false).put("cached", false);
    fields.put("stopRequested", false);
  }

  public static AStatus of(String id, RequestState state, long version) {
    return new AStatus(id, state, version);
  }

  public AStatus with(String field, Object value) {
    fields.set(field, Json.tree(value));
    return this;
  }

  public RequestStatus build() {
    try {
      return Json.read(fields, RequestStatus.class);
    } catch (MalformedJson e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** As REST and the status topic have it. */
  public String json() {
    return fields.toString();
  }
}
