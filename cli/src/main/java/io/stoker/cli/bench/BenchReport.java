package io.stoker.cli.bench;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.Map;

/**
 * What was measured. What a workload does not measure is absent.
 *
 * @param jobs how many were measured, those of the warm-up not counted
 * @param seconds from the first produce to the last status
 * @param perSecond jobs by seconds
 * @param toStarted milliseconds from produce to the start of the process
 * @param toSucceeded milliseconds from produce to SUCCEEDED read from the status topic
 * @param cpuSecondsPer1000 CPU seconds that 1,000 jobs cost each process with all its children
 * @param idleCpuPercent of one core, while nothing is to do
 * @param memoryMiB of each process with all its children, at the end
 * @param cores that the stack and the bench share
 * @param backlog what a long line costs
 * @param agent what an agent takes without work
 * @param floor what Kafka and Postgres alone take
 */
@JsonPropertyOrder({
  "workload",
  "jobs",
  "seconds",
  "perSecond",
  "toStarted",
  "toSucceeded",
  "cpuSecondsPer1000",
  "idleCpuPercent",
  "memoryMiB",
  "cores",
  "backlog",
  "agent",
  "floor"
})
record BenchReport(
    String workload,
    int jobs,
    double seconds,
    Double perSecond,
    Percentiles toStarted,
    Percentiles toSucceeded,
    Map<String, Double> cpuSecondsPer1000,
    Map<String, Double> idleCpuPercent,
    Map<String, Long> memoryMiB,
    int cores,
    Backlog backlog,
    AgentFigures agent,
    Floor floor) {

  /** Of a long line. */
  static BenchReport of(String workload, int jobs, double seconds, Backlog backlog) {
    return new BenchReport(
        workload,
        jobs,
        seconds,
        null,
        null,
        null,
        null,
        null,
        null,
        ownCores(),
        backlog,
        null,
        null);
  }

  /** Of an agent; its starts are what was done so often. */
  static BenchReport of(int starts, double seconds, AgentFigures agent) {
    return new BenchReport(
        "agent",
        starts,
        seconds,
        null,
        null,
        null,
        null,
        null,
        null,
        ownCores(),
        null,
        agent,
        null);
  }

  /** Of the floors. */
  static BenchReport of(int count, double seconds, Floor floor) {
    return new BenchReport(
        "floor", count, seconds, null, null, null, null, null, null, ownCores(), null, null, floor);
  }

  static int ownCores() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** The same with how long one job takes. */
  BenchReport with(OneByOne.Times times) {
    return new BenchReport(
        workload,
        jobs,
        seconds,
        perSecond,
        Percentiles.of(times.toStarted()),
        Percentiles.of(times.toSucceeded()),
        cpuSecondsPer1000,
        idleCpuPercent,
        memoryMiB,
        cores,
        backlog,
        agent,
        floor);
  }

  /** The same beside the floors. */
  BenchReport with(Floor floors) {
    return new BenchReport(
        workload,
        jobs,
        seconds,
        perSecond,
        toStarted,
        toSucceeded,
        cpuSecondsPer1000,
        idleCpuPercent,
        memoryMiB,
        cores,
        backlog,
        agent,
        floors.under(perSecond, cpuSecondsPer1000));
  }
}
