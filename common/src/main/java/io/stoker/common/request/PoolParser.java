package io.stoker.common.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.ToAgent.WorkerPool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads what a kind declares of a pool of workers; what it leaves out has its default. */
public final class PoolParser {
  /** Jobs behind the one that a worker runs, by default. */
  public static final int QUEUE = 2;

  /** Ends under way to the disk that each worker stands for, by default. */
  public static final int OUTPUT_PER_WORKER = 3;

  /** To get ready, and to end, by default. */
  public static final Duration TIME_OUT = Duration.ofSeconds(10);

  /** Without work, above {@code min}, by default. */
  public static final Duration IDLE = Duration.ofSeconds(60);

  /** Workers, and what else is counted. */
  public static final int MOST = 100_000;

  private static final String WHERE = "pool";
  private static final String PLACE = "${params.";
  private static final Set<String> FIELDS =
      new TreeSet<>(
          Set.of(
              "command",
              "env",
              "workdir",
              "min",
              "max",
              "queue",
              "output",
              "idleTimeout",
              "startTimeout",
              "closeTimeout",
              "restart",
              "gpus",
              "gpuMemory",
              "cpus"));

  private PoolParser() {}

  /**
   * The pool.
   *
   * @param name of the pool
   * @param kind that declares it
   * @throws RequestRefused naming the field below {@code pool} that is wrong
   */
  public static WorkerPool parse(String name, String kind, JsonNode given) throws RequestRefused {
    FieldReader fields = FieldReader.of(kind, WHERE, given, FIELDS);
    int max = fields.integer("max", 1, 0, MOST);
    int gpus = fields.integer("gpus", 0, 0, 1);
    Variables env = env(fields);
    return new WorkerPool(
        name,
        kind,
        command(fields),
        env.plain(),
        workdir(fields),
        min(fields, max),
        max,
        fields.integer("queue", QUEUE, 0, Math.min(MOST, mostQueue(max))),
        fields.integer("output", OUTPUT_PER_WORKER * Math.max(1, max), 1, Integer.MAX_VALUE),
        fields.duration("idleTimeout").orElse(IDLE).toMillis(),
        fields.duration("startTimeout").orElse(TIME_OUT).toMillis(),
        fields.duration("closeTimeout").orElse(TIME_OUT).toMillis(),
        fields.flag("restart", true),
        gpus,
        gpuMemory(fields, gpus),
        fields.integer("cpus", 0, 0, MOST),
        env.secrets().isEmpty() ? null : env.secrets());
  }

  /** The longest queue of each of so many workers: what all hold together is counted as an int. */
  public static int mostQueue(int max) {
    return Integer.MAX_VALUE / Math.max(1, max) - 1;
  }

  private static List<String> command(FieldReader fields) throws RequestRefused {
    List<String> command = fields.texts("command", 10_000, FieldReader.MAX_TEXT);
    if (command.isEmpty() || command.getFirst().isBlank()) {
      throw fields.refused("command", "missing or empty", "a program and its arguments");
    }
    for (int i = 0; i < command.size(); i++) {
      noPlaces(fields, "command[" + i + "]", command.get(i));
    }
    return command;
  }

  private static Variables env(FieldReader fields) throws RequestRefused {
    Variables env = Variables.read(fields, RunnerType.CPU.key());
    for (Map.Entry<String, String> one : env.plain().entrySet()) {
      noPlaces(fields, "env." + one.getKey(), one.getValue());
    }
    return env;
  }

  private static String workdir(FieldReader fields) throws RequestRefused {
    Optional<String> workdir = fields.text("workdir", 4096);
    if (workdir.isPresent()) {
      noPlaces(fields, "workdir", workdir.get());
      if (!workdir.get().startsWith("/")) {
        throw fields.refused("workdir", workdir.get(), "a folder from / on");
      }
    }
    return workdir.orElse(null);
  }

  /** A worker is there before its jobs, and for all of them. */
  private static void noPlaces(FieldReader fields, String at, String text) throws RequestRefused {
    if (text.contains(PLACE)) {
      throw fields.refused(at, text, "no ${params.…}: workers are given them with each job");
    }
  }

  private static int min(FieldReader fields, int max) throws RequestRefused {
    int min = fields.integer("min", 0, 0, MOST);
    if (min > max) {
      throw fields.refused("min", Integer.toString(min), "0 to max, which is " + max);
    }
    return min;
  }

  private static Long gpuMemory(FieldReader fields, int gpus) throws RequestRefused {
    Optional<Long> memory = fields.size("gpuMemory");
    if (memory.isPresent() && gpus == 0) {
      throw fields.refused(
          "gpuMemory", fields.node("gpuMemory").get(), "gpus: 1 beside it, or neither");
    }
    return memory.orElse(null);
  }
}
