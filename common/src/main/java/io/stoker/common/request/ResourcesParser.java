package io.stoker.common.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.stoker.common.request.Resources.Sharing;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads {@code resources} of a request. */
final class ResourcesParser {
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
              "network",
              "require",
              "prefer",
              "avoid"));
  private static final int MAX_AVOID = 1000;

  /** What a job reaches. */
  private enum Network {
    HOST,
    NONE
  }

  private ResourcesParser() {}

  /**
   * Reads them.
   *
   * @param image whether the request names an image, which only a container takes
   */
  static Resources parse(String id, Optional<JsonNode> node, boolean image) throws RequestRefused {
    if (node.isEmpty() && !image) {
      return Resources.oneSlot();
    }
    JsonNode given = node.orElseGet(JsonNodeFactory.instance::objectNode);
    FieldReader fields = FieldReader.of(id, "resources", given, FIELDS);
    int gpus = fields.integer("gpus", 0, 0, Resources.MAX_GPUS);
    RunnerType type = type(fields, gpus, image);
    if (gpus > 0 && !type.onGpus()) {
      throw fields.refused("gpus", String.valueOf(gpus), "0 for type " + type.key());
    }
    if (type == RunnerType.GPU && gpus == 0) {
      if (fields.node("gpus").isPresent()) {
        throw fields.refused("gpus", "0", "1 or more for type gpu");
      }
      gpus = 1;
    }
    if (gpus > 1 && fields.node("device").isPresent()) {
      throw fields.refused("gpus", String.valueOf(gpus), "1 with a device, which is one GPU");
    }
    int hosts = fields.integer("hosts", 1, 1, Resources.MAX_HOSTS);
    if (hosts > 1 && !type.onHost()) {
      throw fields.refused("hosts", String.valueOf(hosts), "1 for type " + type.key());
    }
    if (gpus > 0 && !type.onHost()) {
      checkNodeGpus(fields, type);
    }
    int cpus = fields.integer("cpus", 1, 0, Resources.MAX_CPUS);
    return new Resources(
        type.key(),
        gpus,
        fields.size("gpuMemory"),
        fields.choice("sharing", Sharing.class, Sharing.EXCLUSIVE),
        gpus > 0 || !type.onHost() ? 0 : cpus,
        fields.size("memory"),
        fields.text("device", 128),
        fields.flag("cpuFallback", true),
        fields.flag("gates", false),
        require(fields, type, hosts),
        fields.map("prefer"),
        fields.texts("avoid", MAX_AVOID, 128),
        hosts);
  }

  /** On a node nothing is measured, so a job that shares a GPU there has to say what it takes. */
  private static void checkNodeGpus(FieldReader fields, RunnerType type) throws RequestRefused {
    if (fields.choice("sharing", Sharing.class, Sharing.EXCLUSIVE) == Sharing.SHARED
        && fields.node("gpuMemory").isEmpty()) {
      throw fields.refused(
          "sharing",
          "shared",
          "a gpuMemory beside it, since none is measured for type %s, or exclusive"
              .formatted(type.key()));
    }
  }

  /**
   * A host that can keep a job from the network is found by its label; so one that does not know of
   * it is never asked.
   */
  private static Map<String, String> require(FieldReader fields, RunnerType type, int hosts)
      throws RequestRefused {
    Map<String, String> require = new LinkedHashMap<>(fields.map("require"));
    if (fields.choice(Resources.NETWORK, Network.class, Network.HOST) == Network.NONE) {
      require.put(Resources.NETWORK, Resources.NO_NETWORK);
    }
    if (Resources.NO_NETWORK.equals(require.get(Resources.NETWORK))
        && (!type.onHost() || hosts > 1)) {
      throw fields.refused(
          Resources.NETWORK,
          Resources.NO_NETWORK,
          hosts > 1
              ? "host, since its members meet by it"
              : "host for type %s, which runs elsewhere".formatted(type.key()));
    }
    return require;
  }

  private static RunnerType type(FieldReader fields, int gpus, boolean image)
      throws RequestRefused {
    RunnerType fallback = image ? RunnerType.CONTAINER : gpus > 0 ? RunnerType.GPU : RunnerType.CPU;
    Optional<String> named = fields.text("type", 32);
    Optional<RunnerType> known = named.map(RunnerType::of).orElse(Optional.of(fallback));
    if (known.isEmpty()) {
      throw fields.refused("type", named.get(), "one of " + RunnerType.keys());
    }
    if (image && known.get() != RunnerType.CONTAINER) {
      throw fields.refused("type", named.get(), "container, since the request names an image");
    }
    return known.get();
  }
}
