package io.stoker.e2e.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The repository's docker-compose.yml. */
record ComposeFile(JsonNode tree) {

  static ComposeFile read() {
    try {
      return new ComposeFile(
          new YAMLMapper().readTree(Checkout.root().resolve("docker-compose.yml").toFile()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Services by name, in the file's order. */
  Map<String, JsonNode> services() {
    Map<String, JsonNode> services = new LinkedHashMap<>();
    tree.get("services").properties().forEach(s -> services.put(s.getKey(), s.getValue()));
    return services;
  }

  /** Names of a service's environment variables. */
  static List<String> variables(JsonNode service) {
    List<String> names = new ArrayList<>();
    service.path("environment").fieldNames().forEachRemaining(names::add);
    return names;
  }
}
