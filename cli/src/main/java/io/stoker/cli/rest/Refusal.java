package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;

/** Why the dispatcher did not take a request, in a line for people. */
final class Refusal {
  private Refusal() {}

  /**
   * @param body {@code {"field", "value", "expected", "message"}}; the message holds all of it
   */
  static String text(JsonNode body) {
    String bare = body.isMissingNode() ? "no reason was given" : body.toString();
    return body.path("message").asText(bare);
  }
}
