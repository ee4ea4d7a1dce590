package io.stoker.cli.bench;

import java.util.Map;

/**
 * The figures of a benchmark. What a workload does not measure is absent. Printed in this order.
 */
final class BenchReport {
  public final String workload;

  /** How many were measured, those of the warm-up not counted. */
  public final int jobs;

  /** From the first produce to the last status. */
  public final double seconds;

  public Double perSecond;

  /** Milliseconds from produce to the start of the process. */
  public Percentiles toStarted;

  /** Milliseconds from produce to SUCCEEDED read from the status topic. */
  public Percentiles toSucceeded;

  /** CPU seconds that 1,000 jobs cost each process with all its children. */
  public Map<String, Double> cpuSecondsPer1000;

  /** Of one core, while nothing is to do. */
  public Map<String, Double> idleCpuPercent;

  /** Of each process with all its children, and of an agent alone, at the end. */
  public Map<String, Long> memoryMiB;

  /** That the stack and the bench share. */
  public final int cores = Runtime.getRuntime().availableProcessors();

  /** What a long line costs. */
  public Backlog backlog;

  /** What an agent takes without work. */
  public AgentFigures agent;

  /** What Kafka and Postgres alone take. */
  public Floor floor;

  /** What the page's views take. */
  public PageFigures page;

  /** How it went in each tenth of the time. */
  public SteadyFigures steady;

  BenchReport(String workload, int jobs, double seconds) {
    this.workload = workload;
    this.jobs = jobs;
    this.seconds = seconds;
  }

  /** With how long one job takes. */
  BenchReport with(OneByOne.Times times) {
    toStarted = Percentiles.of(times.toStarted());
    toSucceeded = Percentiles.of(times.toSucceeded());
    return this;
  }

  /** Beside the floors. */
  BenchReport with(Floor floors) {
    floor = floors.under(perSecond, cpuSecondsPer1000);
    return this;
  }
}
