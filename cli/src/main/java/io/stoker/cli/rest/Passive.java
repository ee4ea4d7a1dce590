package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.RestClient.Answer;
import io.stoker.common.json.Json;
import java.util.List;

/** Asks a dispatcher about jobs that people do. */
public record Passive(RestClient rest) {
  /** What waits for a person, the longest first, as it was answered. */
  public List<JsonNode> tasks() {
    Answer answer = rest.get("/passive");
    if (answer.status() != 200) {
      throw rest.unexpected("asking for what people are to do", answer);
    }
    return answer.body().path("tasks").valueStream().toList();
  }

  /**
   * Says what came of a request.
   *
   * @param result any JSON value, null for none
   * @param failed why it failed, null if it succeeded
   * @return whether the id is known
   * @throws CliException with exit code 2 if it does not wait for a person
   */
  public boolean finish(String id, JsonNode result, String failed) {
    ObjectNode said = JsonNodeFactory.instance.objectNode();
    if (result != null) {
      said.set("result", result);
    }
    if (failed != null) {
      said.put("failed", failed);
    }
    Answer answer = rest.post("/requests/" + RestClient.encoded(id) + "/result", Json.bytes(said));
    return switch (answer.status()) {
      case 202 -> true;
      case 404 -> false;
      default -> throw rest.unexpected("finishing " + id, answer);
    };
  }
}
