package io.stoker.common.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.request.Resources.Sharing;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads {@code resources} of a request. */
final class ResourcesParser {
  private static final Set<String> TYPES = new TreeSet<>(Set.of("cpu", "gpu"));
  private static final Set<String> FIELDS =
      new TreeSet<>(
          Set.of(
              "type",
              "gpus",
              "gpuMemory",
              "sharing",
              "cpus",
              "memory",
              "device",
              "hosts",
              "cpuFallback",
              "gates",
              "require",
              "prefer",
              "avoid"));
  private static final int MAX_AVOID = 1000;

  private ResourcesParser() {}

  static Resources parse(String id, Optional<JsonNode> node) throws RequestRefused {
    if (node.isEmpty()) {
      return Resources.oneSlot();
    }
    FieldReader fields = FieldReader.of(id, "resources", node.get(), FIELDS);
    int gpus = fields.integer("gpus", 0, 0, Resources.MAX_GPUS);
    String type = fields.text("type", 32).orElse(gpus > 0 ? "gpu" : "cpu");
    if (!TYPES.contains(type)) {
      throw fields.refused("type", type, "one of " + String.join(", ", TYPES));
    }
    if (type.equals("cpu") && gpus > 0) {
      throw fields.refused("gpus", String.valueOf(gpus), "0 for type cpu");
    }
    if (type.equals("gpu") && gpus == 0) {
      if (fields.node("gpus").isPresent()) {
        throw fields.refused("gpus", "0", "1 or more for type gpu");
      }
      gpus = 1;
    }
    int cpus = fields.integer("cpus", 1, 0, Resources.MAX_CPUS);
    return new Resources(
        type,
        gpus,
        fields.size("gpuMemory"),
        fields.choice("sharing", Sharing.class, Sharing.EXCLUSIVE),
        gpus > 0 ? 0 : cpus,
        fields.size("memory"),
        fields.text("device", 128),
        fields.flag("cpuFallback", true),
        fields.flag("gates", false),
        fields.map("require"),
        fields.map("prefer"),
        fields.texts("avoid", MAX_AVOID, 128),
        fields.integer("hosts", 1, 1, Resources.MAX_HOSTS));
  }
}
