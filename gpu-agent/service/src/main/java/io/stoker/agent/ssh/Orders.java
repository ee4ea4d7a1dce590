package io.stoker.agent.ssh;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.runner.RunFiles;
import io.stoker.agent.runner.RunnerContext;
import io.stoker.agent.ssh.RunRecords.RunRecord;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Turns placements into what nodes are to run. */
final class Orders {
  private static final String ORDER = "CUDA_DEVICE_ORDER";
  private static final List<String> VISIBLE =
      List.of("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES");

  /** What speaks of this host: its devices, and by what its own processes are found. */
  private static final Set<String> OF_THIS_HOST =
      Set.of("STOKER_TREE", ORDER, VISIBLE.getFirst(), VISIBLE.getLast());

  private Orders() {}

  static Order of(
      Place place,
      Allocation allocation,
      RunnerContext context,
      RemoteSettings settings,
      RunRecord at)
      throws IOException, NodeRun.NotHad {
    Optional<String> lack = settings.care().lack();
    if (lack.isPresent()) {
      throw new NodeRun.NotHad(Cause.LAUNCH, lack.get());
    }
    RunFiles files = context.prepare(place);
    Map<String, String> env = new LinkedHashMap<>(settings.env());
    try {
      env.putAll(context.environment(place, allocation, files));
    } catch (IOException e) {
      throw new NodeRun.NotHad(Cause.LAUNCH, e.getMessage());
    }
    env.keySet().removeAll(OF_THIS_HOST);
    env.putAll(devices(place, at));
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put(NodeFiles.PARAMS, Files.readString(files.params()));
    texts.put(NodeFiles.DEPENDENCIES, Files.readString(files.dependencies()));
    texts.put(NodeFiles.GROUP, Files.readString(files.group()));
    return new Order(
        at.node(),
        place.program().command(),
        env,
        place.program().workdir(),
        texts,
        settings.care(),
        settings.rules().followLimit().map(limit -> Math.max(1, limit.toSeconds())).orElse(0L));
  }

  /** Where it is known which GPUs a node has, the job sees its own alone; else what it asks for. */
  private static Map<String, String> devices(Place place, RunRecord at) {
    Map<String, String> env = new LinkedHashMap<>(place.program().env());
    env.keySet().retainAll(OF_THIS_HOST);
    at.gpus()
        .ifPresent(
            gpus -> {
              env.put(ORDER, "PCI_BUS_ID");
              VISIBLE.forEach(name -> env.put(name, String.join(",", gpus.ids())));
            });
    return env;
  }
}
