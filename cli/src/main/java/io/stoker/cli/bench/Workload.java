package io.stoker.cli.bench;

/** What is measured. */
enum Workload {
  /** How many requests a second are accepted and durable, with no host to run them. */
  INTAKE(20_000),
  /** How many jobs a second run from end to end. */
  PROCESS(2_000),
  /** How long one job takes on an idle stack. */
  LATENCY(200);

  private final int jobs;

  Workload(int jobs) {
    this.jobs = jobs;
  }

  /** As many as it measures unless it is told otherwise. */
  int defaultJobs() {
    return jobs;
  }
}
