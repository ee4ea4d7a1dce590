package io.stoker.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the steps of the demo; {@code examples/iris/README.md} describes the file. */
final class DemoGraph {
  private final Map<String, String> placeholders;

  /**
   * @param placeholders what stands for each, e.g. {@code ${java}}, in any string of a request
   */
  DemoGraph(Map<String, String> placeholders) {
    this.placeholders = Map.copyOf(placeholders);
  }

  List<DemoStep> read(Path file) throws IOException {
    List<DemoStep> steps = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      if (!line.isBlank()) {
        steps.add(step(file, line));
      }
    }
    return steps;
  }

  private DemoStep step(Path file, String line) throws IOException {
    try {
      JsonNode step = Json.read(line);
      JsonNode request = filled(step.path("request"));
      Set<String> postAfter = new LinkedHashSet<>();
      step.path("postAfter").forEach(id -> postAfter.add(id.asText()));
      return new DemoStep(
          request.path("id").asText(),
          step.path("title").asText(),
          postAfter,
          request,
          step.path("expect"));
    } catch (MalformedJson e) {
      throw new IOException("%s holds a line that is no JSON: %s".formatted(file, e.getMessage()));
    }
  }

  /** On the tree and not on its text, for a path may hold what JSON escapes. */
  private JsonNode filled(JsonNode node) {
    return switch (node) {
      case ObjectNode object -> {
        ObjectNode filled = JsonNodeFactory.instance.objectNode();
        object.properties().forEach(field -> filled.set(field.getKey(), filled(field.getValue())));
        yield filled;
      }
      case ArrayNode array -> {
        ArrayNode filled = JsonNodeFactory.instance.arrayNode();
        array.forEach(element -> filled.add(filled(element)));
        yield filled;
      }
      default -> node.isTextual() ? JsonNodeFactory.instance.textNode(filled(node.asText())) : node;
    };
  }

  private String filled(String text) {
    String filled = text;
    for (Map.Entry<String, String> placeholder : placeholders.entrySet()) {
      filled = filled.replace(placeholder.getKey(), placeholder.getValue());
    }
    return filled;
  }
}
