package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;

/** Says in a line for people why the dispatcher did not take a request. */
final class Refusal {
  private Refusal() {}

  /** Of an answer that was read as text; as it is, if it is no JSON. */
  static String text(String body) {
    try {
      return text(Json.read(body));
    } catch (MalformedJson e) {
      return body;
    }
  }

  /**
   * @param body {@code {"field", "value", "expected", "message"}}; the message holds all of it
   */
  static String text(JsonNode body) {
    String bare = body.isMissingNode() ? "no reason was given" : body.toString();
    return body.path("message").asText(bare);
  }
}
