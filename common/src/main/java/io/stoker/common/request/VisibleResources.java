package io.stoker.common.request;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * The resources that a job can see: with other ones it may do something else, so they are part of
 * what its request means. What it cannot see only says where and when it runs.
 *
 * @param type the runner, where neither the GPUs nor the image tell it; else null
 * @param gpus GPUs that it has
 * @param hosts on how many hosts it runs at once
 * @param device the one that it is pinned to, null for any
 * @param cpuFallback whether it may find CPU slots in place of its GPUs; true of what has none
 * @param require labels of its host or device
 */
public record VisibleResources(
    String type,
    int gpus,
    int hosts,
    String device,
    boolean cpuFallback,
    Map<String, String> require) {
  /** The same said in one way: what has no effect is left out. */
  public VisibleResources {
    type = onHost(type) ? null : type;
    device = gpus == 0 ? null : device;
    cpuFallback = cpuFallback || gpus == 0 || type != null;
    require = Map.copyOf(require);
  }

  private static boolean onHost(String type) {
    return RunnerType.runsOnHost(type);
  }

  /** Whether the job sees nothing but what every plain one sees. */
  public boolean isDefault() {
    return meaning().isEmpty();
  }

  /** What the job of a request sees; workers of a pool bring all but their host. */
  public static VisibleResources of(JobRequest request) {
    Resources asked = request.resources();
    return request.workers().isPresent()
        ? new VisibleResources(null, 0, 1, null, true, asked.require())
        : new VisibleResources(
            asked.type(),
            asked.gpus(),
            asked.hosts(),
            asked.device().orElse(null),
            asked.cpuFallback(),
            asked.require());
  }

  /** As part of a meaning: what is as by default is left out. */
  ObjectNode meaning() {
    ObjectNode meaning = JsonNodeFactory.instance.objectNode();
    if (type != null) {
      meaning.put("type", type);
    }
    if (gpus > 0) {
      meaning.put("gpus", gpus);
    }
    if (hosts > 1) {
      meaning.put("hosts", hosts);
    }
    if (device != null) {
      meaning.put("device", device);
    }
    if (!cpuFallback) {
      meaning.put("cpuFallback", false);
    }
    if (!require.isEmpty()) {
      ObjectNode labels = meaning.putObject("require");
      require.forEach(labels::put);
    }
    return meaning;
  }
}
