package io.stoker.cli.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures the CPU and memory of a stack's processes, by what they are. */
final class Meter {
  private final Map<String, List<Long>> processes;
  private final ProcessTree tree = new ProcessTree(Path.of("/proc"));

  Meter(Target target) {
    this(target.processes());
  }

  /**
   * @param processes pids by what they are
   */
  Meter(Map<String, List<Long>> processes) {
    this.processes = new LinkedHashMap<>(processes);
    // This process makes requests and reads statuses on the same cores.
    this.processes.put("bench", List.of(ProcessHandle.current().pid()));
    this.processes.values().removeIf(List::isEmpty);
  }

  /** CPU seconds since each started. */
  Map<String, Double> cpuSeconds() {
    Map<String, Double> seconds = new LinkedHashMap<>();
    processes.forEach((name, pids) -> seconds.put(name, ofOne(name, pids)));
    return seconds;
  }

  /** Bytes; of an agent also without its jobs, workers and helpers. */
  Map<String, Long> memory() {
    Map<String, Long> bytes = new LinkedHashMap<>();
    processes.forEach(
        (name, pids) -> {
          if (!name.equals("bench")) {
            bytes.put(name, tree.memory(pids));
          }
          if (name.equals("agent")) {
            bytes.put("agent alone", tree.largest(pids));
          }
        });
    return bytes;
  }

  /** Bytes that the processes of these names take together. */
  long memory(List<String> names) {
    return names.stream().mapToLong(name -> tree.memory(processes.get(name))).sum();
  }

  /** CPU seconds between two readings, times a factor, to three digits. */
  static Map<String, Double> between(
      Map<String, Double> before, Map<String, Double> after, double factor) {
    Map<String, Double> differences = new LinkedHashMap<>();
    after.forEach(
        (name, seconds) ->
            differences.put(name, Rounded.thousandths((seconds - before.get(name)) * factor)));
    return differences;
  }

  /** A stack that this process started is its child, and counts by itself. */
  private double ofOne(String name, List<Long> pids) {
    return name.equals("bench")
        ? ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos() / 1e9
        : tree.cpuSeconds(pids);
  }
}
