package io.stoker.agent.ssh;

import io.stoker.agent.device.Allocation;
import io.stoker.agent.runner.RunFiles;
import io.stoker.agent.runner.RunnerContext;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Turns placements into what nodes are to run. */
final class Orders {
  /** What speaks of this host: its devices, and by what its own processes are found. */
  private static final Set<String> OF_THIS_HOST =
      Set.of("STOKER_TREE", "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES");

  private Orders() {}

  static Order of(
      Place place,
      Allocation allocation,
      RunnerContext context,
      RemoteSettings settings,
      String node)
      throws IOException {
    RunFiles files = context.prepare(place);
    Map<String, String> env = new LinkedHashMap<>(settings.env());
    env.putAll(context.environment(place, allocation, files));
    env.keySet().removeAll(OF_THIS_HOST);
    if (place.env() != null) {
      OF_THIS_HOST.forEach(
          name -> {
            if (place.env().containsKey(name)) {
              env.put(name, place.env().get(name));
            }
          });
    }
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put(NodeFiles.PARAMS, Files.readString(files.params()));
    texts.put(NodeFiles.DEPENDENCIES, Files.readString(files.dependencies()));
    texts.put(NodeFiles.GROUP, Files.readString(files.group()));
    return new Order(
        node,
        place.command(),
        env,
        Optional.ofNullable(place.workdir()),
        settings.preScript(),
        settings.postScript(),
        texts,
        settings.files(),
        settings.grace().toMillis(),
        settings.rules().followLimit().map(limit -> Math.max(1, limit.toSeconds())).orElse(0L));
  }
}
