package io.stoker.cli.bench;

/** The workloads that can be measured. */
enum Workload {
  /** How many requests a second are accepted and durable, with no host to run them. */
  INTAKE(20_000, 60_000),
  /** How many jobs a second run from end to end. */
  PROCESS(2_000, 8_000),
  /** How long one job takes on an idle stack. */
  LATENCY(200, 1_000),
  /** How many jobs a second warm workers run that do nothing, and how long one takes. */
  POOL(20_000, 40_000),
  /** How a stack fares that is never at rest: such jobs at a rate that stays the same. */
  STEADY(30_000, 40_000),
  /** How many requests a second are answered that equal a job which has succeeded. */
  DUPLICATES(60_000, 240_000),
  /** What it costs that many wait: on a stack of its own, with many hosts that run nothing. */
  BACKLOG(1_000_000, 16_000),
  /** What it costs that all who wait ask for different things: on such a stack, too. */
  SHAPES(50_000, 16_000),
  /** What an agent takes to start and to be there: on a stack of its own, with simulated GPUs. */
  AGENT(10, 1),
  /** What Kafka and Postgres alone take for the least that a job needs of them. */
  FLOOR(200_000, 100_000),
  /** How long each view of the page takes beside many requests, while more come in. */
  PAGE(1_000_000, 20);

  private final int jobs;
  private final int warmUp;

  Workload(int jobs, int warmUp) {
    this.jobs = jobs;
    this.warmUp = warmUp;
  }

  /** As many as it measures unless it is told otherwise. */
  int defaultJobs() {
    return jobs;
  }

  /** As many before, unmeasured: the compilers of all JVMs have seen by then what is hot. */
  int defaultWarmUp() {
    return warmUp;
  }
}
