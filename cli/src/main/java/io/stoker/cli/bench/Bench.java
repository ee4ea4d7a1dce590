package io.stoker.cli.bench;

import io.stoker.cli.rest.Fleet;
import io.stoker.cli.terminal.ProgressLine;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Measures a stack, after warming it up with the same work. */
final class Bench {
  private static final long MIB = 1 << 20;

  /** How many finished jobs duplicates are equal to. */
  private static final int ANSWERED = 1_000;

  private final Target target;
  private final int warmUp;
  private final int perRecord;
  private final ProgressLine progress;
  private final Meter meter;
  private final Optional<FloorBench> floor;

  /**
   * @param warmUp jobs before those that are measured, 0 for none
   * @param perRecord so many requests are posted in one record
   * @param floor measured right after many jobs; empty for none
   */
  Bench(
      Target target, int warmUp, int perRecord, Optional<FloorBench> floor, ProgressLine progress) {
    this.target = target;
    this.warmUp = warmUp;
    this.perRecord = perRecord;
    this.progress = progress;
    this.meter = new Meter(target);
    this.floor = floor;
  }

  BenchReport run(Workload workload, int jobs) {
    return switch (workload) {
      case INTAKE -> intake(jobs);
      case PROCESS -> process(jobs);
      case LATENCY -> latency(jobs);
      case POOL -> pool(jobs);
      case DUPLICATES -> duplicates(jobs);
      case STEADY, BACKLOG, SHAPES, AGENT, FLOOR, PAGE ->
          throw new IllegalArgumentException(workload + " has a bench of its own");
    };
  }

  private BenchReport intake(int jobs) {
    Load load = new Load(target, new Requests("intake"), progress, perRecord);
    try (Cordoned nobodyRunsThem = Cordoned.all(new Fleet(target.rest()))) {
      try {
        // Any status tells that the request is committed: it is published after.
        return throughput("intake", load, jobs, record -> true);
      } finally {
        if (!target.own()) {
          Thread.interrupted(); // who is told to hurry leaves nothing to run either
          load.cancel("intake, cancelling what was posted");
        }
      }
    }
  }

  private BenchReport process(int jobs) {
    Load load = new Load(target, new Requests("process"), progress, perRecord);
    return throughput("process", load, jobs, Load::isTerminal);
  }

  /** Many at once, and then one by one on what is idle again. */
  private BenchReport pool(int jobs) {
    Load load = new Load(target, Requests.onPool("pool"), progress, perRecord);
    BenchReport many = throughput("pool", load, jobs, Load::isTerminal);
    try (OneByOne oneByOne = OneByOne.open(target, Requests.onPool("pool-one"), progress)) {
      oneByOne.run("pool, one by one, warming up", Workload.LATENCY.defaultJobs());
      return many.with(oneByOne.run("pool, one by one", Workload.LATENCY.defaultJobs()));
    }
  }

  private BenchReport duplicates(int jobs) {
    Load load = new Load(target, new Requests("duplicates", ANSWERED), progress, perRecord);
    load.post("duplicates, running what they equal", ANSWERED, Load::isTerminal);
    return throughput("duplicates", load, jobs, Load::isTerminal);
  }

  private BenchReport throughput(String name, Load load, int jobs, Load.Arrival arrival) {
    if (warmUp > 0) {
      load.post(name + ", warming up", warmUp, arrival);
    }
    Map<String, Double> before = meter.cpuSeconds();
    double seconds = load.post(name, jobs, arrival);
    Map<String, Double> cpu = Meter.between(before, meter.cpuSeconds(), 1000.0 / jobs);
    double perSecond = Rounded.tenths(jobs / seconds);
    BenchReport report = new BenchReport(name, jobs, Rounded.thousandths(seconds));
    report.perSecond = perSecond;
    report.cpuSecondsPer1000 = cpu;
    report.memoryMiB = memory();
    // On servers as warm as they were for the jobs.
    return floor.map(bench -> report.with(bench.run())).orElse(report);
  }

  private BenchReport latency(int jobs) {
    try (OneByOne oneByOne = OneByOne.open(target, new Requests("latency"), progress)) {
      if (warmUp > 0) {
        oneByOne.run("latency, warming up", warmUp);
      }
      Map<String, Double> idle = Idle.percent(meter, progress);
      Map<String, Double> before = meter.cpuSeconds();
      long start = System.nanoTime();
      OneByOne.Times times = oneByOne.run("latency", jobs);
      double seconds = (System.nanoTime() - start) / 1e9;
      Map<String, Double> cpu = Meter.between(before, meter.cpuSeconds(), 1000.0 / jobs);
      BenchReport report =
          new BenchReport("latency", jobs, Rounded.thousandths(seconds)).with(times);
      report.cpuSecondsPer1000 = cpu;
      report.idleCpuPercent = idle;
      report.memoryMiB = memory();
      return report;
    }
  }

  private Map<String, Long> memory() {
    return meter.memory().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue() / MIB));
  }
}
