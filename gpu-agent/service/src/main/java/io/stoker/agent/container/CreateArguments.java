package io.stoker.agent.container;

import io.stoker.agent.container.ContainerSettings.GpuOption;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Builds the arguments that make a container. Folders keep their paths in it.
 *
 * @param offline whether no container of this host has a network
 */
record CreateArguments(ContainerSettings settings, boolean offline) {
  static final String OWNER_LABEL = "stoker.owner";
  static final String RUN_LABEL = "stoker.run";

  /**
   * Bytes below which engines make no container, or it cannot begin: some take no less than 6 MiB.
   */
  private static final long LEAST_MEMORY = 32L << 20;

  /**
   * Folders that a container sees.
   *
   * @param run the run's own
   * @param shared what is the same for all runs, to be read
   * @param result what it may write of the run's own, besides its scratch folder
   * @param work in which it begins
   * @param source what is seen there
   */
  record Folders(Path run, Path shared, Path result, Path work, Path source) {}

  /**
   * The arguments after the engine's own name.
   *
   * @param variables that name its {@linkplain #variables variables}
   */
  List<String> of(
      Place place,
      Allocation allocation,
      String name,
      String owner,
      String run,
      Folders folders,
      List<String> variables) {
    List<String> all = new ArrayList<>(List.of("create", "--name", name));
    all.addAll(List.of("--label", OWNER_LABEL + "=" + owner, "--label", RUN_LABEL + "=" + run));
    all.addAll(List.of("--pull", settings.pull().name().toLowerCase(Locale.ROOT)));
    settings.user().ifPresent(user -> all.addAll(List.of("--user", user)));
    limits(place, all);
    devices(allocation, all);
    // A link that a container puts there would be followed by the agent, on its host.
    mount(folders.run(), folders.run(), true, all);
    mount(folders.shared(), folders.shared(), true, all);
    mount(folders.result(), folders.result(), false, all);
    mount(folders.source(), folders.work(), false, all);
    all.addAll(List.of("--workdir", folders.work().toString()));
    if (offline || place.program().claim().offline()) {
      all.addAll(List.of("--network", "none"));
    } else if (place.gang() != null) {
      all.addAll(List.of("--network", "host")); // its members meet at ports of their hosts
    }
    all.addAll(variables);
    all.addAll(settings.arguments());
    all.add(image(place));
    all.addAll(place.program().command());
    return all;
  }

  /** The runner of containers gets those alone. */
  static String image(Place place) {
    return ((Workload.Container) place.workload()).image();
  }

  /** Bytes of host memory that it may take; empty for no limit. */
  static OptionalLong memory(Place place) {
    return place.program().memory().stream()
        .map(promised -> Math.max(promised, LEAST_MEMORY))
        .findAny();
  }

  private void limits(Place place, List<String> all) {
    OptionalLong memory = memory(place);
    if (memory.isPresent()) {
      String bytes = Long.toString(memory.getAsLong());
      all.addAll(List.of("--memory", bytes, "--memory-swap", bytes)); // the two equal: no swap
    }
    if (settings.cpusPerSlot().isPresent() && place.workload().share().cpuSlots() > 0) {
      double cpus = settings.cpusPerSlot().getAsDouble() * place.workload().share().cpuSlots();
      all.addAll(List.of("--cpus", String.format(Locale.ROOT, "%.2f", cpus)));
    }
    if (settings.shmSize().isPresent()) {
      all.addAll(List.of("--shm-size", Long.toString(settings.shmSize().getAsLong())));
    }
  }

  private void devices(Allocation allocation, List<String> all) {
    List<String> ids = allocation.devices();
    if (ids.isEmpty()) {
      return;
    }
    if (settings.gpus() == GpuOption.CDI) {
      ids.forEach(id -> all.addAll(List.of("--device", "nvidia.com/gpu=" + id)));
    } else {
      // The value is read as CSV: quotes keep what stands between commas together.
      all.addAll(List.of("--gpus", "\"device=" + String.join(",", ids) + "\""));
    }
  }

  private static void mount(Path source, Path target, boolean readOnly, List<String> all) {
    String mount =
        "type=bind,%s,%s".formatted(field("source=" + source), field("target=" + target));
    all.addAll(List.of("--mount", readOnly ? mount + ",readonly" : mount));
  }

  /** Engines read a mount as a line of CSV (RFC 4180). */
  private static String field(String text) {
    boolean plain = text.chars().noneMatch(one -> ",\"\n\r".indexOf(one) >= 0);
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  /**
   * In a container GPUs are counted from 0, whatever their numbers on the host. Many images ask for
   * all GPUs by themselves, which an engine with NVIDIA's runtime obeys: without a device they are
   * told that there is none.
   */
  Map<String, String> variables(Allocation allocation, Path work, Map<String, String> environment) {
    Map<String, String> variables = new TreeMap<>(environment);
    variables.putIfAbsent("HOME", work.toString());
    int gpus = allocation.devices().size();
    String inside =
        IntStream.range(0, gpus).mapToObj(Integer::toString).collect(Collectors.joining(","));
    variables.put("CUDA_VISIBLE_DEVICES", inside);
    boolean byRuntime = gpus > 0 && settings.gpus() == GpuOption.GPUS;
    variables.put(
        "NVIDIA_VISIBLE_DEVICES", byRuntime ? String.join(",", allocation.devices()) : "void");
    variables.putIfAbsent("NVIDIA_DRIVER_CAPABILITIES", "compute,utility");
    return variables;
  }
}
