package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Says in a few words what a host serves beside processes of its own. */
final class Serves {
  /** Counted by CPU slots and GPUs. */
  private static final Set<String> PROCESSES = Set.of("cpu", "gpu");

  private Serves() {}

  /**
   * Each type with its slots.
   *
   * @param resources of a host, as REST shows them
   */
  static String text(JsonNode resources) {
    List<String> types = new ArrayList<>();
    for (JsonNode one : resources.path("runners")) {
      String type = one.path("runner").asText();
      if (!PROCESSES.contains(type)) {
        int gpus = one.path("gpus").asInt(0);
        types.add(
            type
                + " "
                + one.path("slots").asText()
                + (gpus > 0 ? " (up to %d GPUs)".formatted(gpus) : ""));
      }
    }
    return String.join(", ", types);
  }
}
