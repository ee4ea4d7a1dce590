package io.stoker.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One request of the demo.
 *
 * @param title what it shows
 * @param postAfter ids that must have ended before it is posted
 * @param expect fields of its final status
 */
record DemoStep(String id, String title, Set<String> postAfter, JsonNode request, JsonNode expect) {
  byte[] body() {
    return Json.bytes(request);
  }

  /** In what a final status differs from what was expected; empty if in nothing. */
  List<String> differences(RequestStatus status) {
    JsonNode actual = Json.tree(status);
    List<String> differences = new ArrayList<>();
    expect
        .properties()
        .forEach(
            field -> {
              JsonNode found = actual.path(field.getKey());
              if (!found.asText().equals(field.getValue().asText())) {
                differences.add(
                    "%s is %s, expected %s"
                        .formatted(
                            field.getKey(),
                            found.isMissingNode() ? "absent" : found,
                            field.getValue()));
              }
            });
    return differences;
  }
}
