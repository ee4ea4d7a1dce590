package io.stoker.agent.pool;

import io.stoker.common.request.PoolParser;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A pool as its host's configuration has it. Times in ms.
 *
 * @param command of a worker: program and arguments
 * @param env additional environment
 * @param secrets of the host, by the variables that have their values
 * @param workdir work folder, a scratch folder a worker if absent
 * @param min workers that are always warm
 * @param max workers at most; 0 = each job is run by a worker of its own, one after another, that
 *     ends with it
 * @param queue jobs that wait behind the one that a worker runs
 * @param output ends that may be under way to the disk, those at work included
 * @param idle after which a worker above {@code min} is ended
 * @param start how long a worker may take until it is ready
 * @param close how long it may take to end once it was told to
 * @param restart whether a worker that ended unasked is replaced
 * @param gpus of a worker, 0 or 1
 * @param gpuMemory bytes promised to it on its GPU, if it shares it
 * @param cpuSlots that a worker takes while it is warm
 */
public record PoolSettings(
    String name,
    List<String> command,
    Map<String, String> env,
    Map<String, String> secrets,
    Optional<String> workdir,
    int min,
    int max,
    int queue,
    int output,
    long idle,
    long start,
    long close,
    boolean restart,
    int gpus,
    OptionalLong gpuMemory,
    int cpuSlots) {
  public static final int QUEUE = PoolParser.QUEUE;
  public static final int OUTPUT_PER_WORKER = PoolParser.OUTPUT_PER_WORKER;
  public static final long TIME_OUT = PoolParser.TIME_OUT.toMillis();

  public PoolSettings {
    command = List.copyOf(command);
    env = Map.copyOf(env);
    secrets = Map.copyOf(secrets);
    require(!command.isEmpty(), "command", "empty", "a program and its arguments");
    require(max >= 0 && max <= PoolParser.MOST, "max", max, "0 to " + PoolParser.MOST);
    require(min >= 0 && min <= max, "min", min, "0 to max, which is " + max);
    int mostQueue = PoolParser.mostQueue(max);
    require(queue >= 0 && queue <= mostQueue, "queue", queue, "0 to " + mostQueue);
    require(output >= 1, "output", output, "1 or more");
    require(gpus == 0 || gpus == 1, "gpus", gpus, "0 or 1");
    require(gpuMemory.orElse(0) >= 0, "gpuMemory", gpuMemory.orElse(0), "0 or more");
    require(cpuSlots >= 0, "cpus", cpuSlots, "0 or more");
  }

  private static void require(boolean right, String field, Object value, String expected) {
    if (!right) {
      throw new IllegalArgumentException(field + ": " + value + ", expected " + expected);
    }
  }

  /** A pool of that many workers with everything else at its default. */
  public static PoolSettings of(String name, List<String> command, int min, int max) {
    return new PoolSettings(
        name,
        command,
        Map.of(),
        Map.of(),
        Optional.empty(),
        min,
        max,
        QUEUE,
        OUTPUT_PER_WORKER * Math.max(1, max),
        PoolParser.IDLE.toMillis(),
        TIME_OUT,
        TIME_OUT,
        true,
        0,
        OptionalLong.empty(),
        0);
  }

  /** Whether no worker outlives its job. */
  boolean single() {
    return max == 0;
  }

  int slots() {
    return Math.max(1, max);
  }

  /** Jobs that one worker holds, that which it runs included. */
  int each() {
    return single() ? 1 : queue + 1;
  }
}
