package io.stoker.cli.bench;

import io.stoker.cli.bench.Backlog.Behind;
import io.stoker.cli.bench.PassMeter.Passes;
import io.stoker.cli.rest.Fleet;
import io.stoker.cli.terminal.ProgressLine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Measures the same work behind a short and behind a long line, on many virtual hosts, which are
 * always full.
 */
final class BacklogBench {
  static final int HOSTS = 100;
  private static final int SHORT = 1_000;
  private static final int MEASURED = 8_000;
  private static final int ONE_BY_ONE = 400;
  private static final Duration APART = Duration.ofMillis(50);
  private static final long MIB = 1 << 20;

  private final Target target;
  private final int warmUp;
  private final ProgressLine progress;
  private final Meter meter;

  /**
   * @param warmUp jobs that end before any is measured
   */
  BacklogBench(Target target, int warmUp, ProgressLine progress) {
    this.target = target;
    this.warmUp = warmUp;
    this.progress = progress;
    this.meter = new Meter(target);
  }

  /**
   * Behind few and behind many.
   *
   * @param secret the stack's, of which the virtual hosts' keys are derived
   * @param jobs in the long line
   */
  BenchReport run(byte[] secret, int jobs) throws InterruptedException {
    Load load = load(new Requests("backlog"));
    // The young line's jobs have made the stack warm: the long one's need only fill the hosts.
    return run(
        "backlog",
        secret,
        jobs,
        new Line(load, SHORT, SHORT, null, warmUp),
        new Line(load, jobs, jobs - SHORT, null, MEASURED / 2));
  }

  /**
   * Behind as many that ask for the same, and behind as many of which no two do.
   *
   * @param secret the stack's, of which the virtual hosts' keys are derived
   * @param jobs in each line
   */
  BenchReport runShapes(byte[] secret, int jobs) throws InterruptedException {
    Load alike = load(Requests.ofShapes("alike", 1, 0));
    // They go before those, who wait on.
    Load different = load(Requests.ofShapes("different", jobs, 1));
    return run(
        "shapes",
        secret,
        jobs,
        new Line(alike, jobs, jobs, 1, warmUp),
        new Line(different, jobs, jobs, jobs, MEASURED / 2));
  }

  private Load load(Requests requests) {
    return new Load(target, requests, progress);
  }

  /**
   * A line that is made.
   *
   * @param more jobs that are posted for it
   * @param before so many of its jobs end before any is measured
   */
  private record Line(Load load, int queued, int more, Integer shapes, int before) {
    String what() {
      return shapes == null
          ? "backlog of %,d".formatted(queued)
          : "%,d jobs of %,d shapes".formatted(queued, shapes);
    }
  }

  private BenchReport run(String workload, byte[] secret, int jobs, Line one, Line other)
      throws InterruptedException {
    long start = System.nanoTime();
    PassMeter passes = new PassMeter(target.rest());
    try (VirtualFleet hosts = VirtualFleet.start(target, secret, HOSTS)) {
      Behind few = behind(one, passes);
      hosts.check();
      Behind many = behind(other, passes);
      hosts.check();
      hosts.endApart(APART);
      double single = singlePass(other.load(), passes);
      hosts.check();
      double ratio = hundredths(many.perSecond() / few.perSecond());
      double seconds = Rounded.secondsSince(start);
      BenchReport report = new BenchReport(workload, jobs, seconds);
      report.backlog = new Backlog(HOSTS, few, many, single, ratio);
      return report;
    }
  }

  /** What a pass takes behind the long line while jobs end one by one. */
  private double singlePass(Load load, PassMeter passes) {
    AtomicReference<Passes> begun = new AtomicReference<>();
    String what = "one job after the other";
    load.replace(what, ONE_BY_ONE / 4, ONE_BY_ONE, () -> begun.set(passes.read()));
    return hundredths(passes.read().millisEach(begun.get()));
  }

  private Behind behind(Line line, PassMeter passes) {
    if (line.more() > 0) {
      try (Cordoned nobodyRunsThem = Cordoned.all(new Fleet(target.rest()))) {
        line.load().post(line.what() + ", posting", line.more(), record -> true);
      }
    }
    AtomicReference<Passes> begun = new AtomicReference<>();
    double seconds =
        line.load().replace(line.what(), line.before(), MEASURED, () -> begun.set(passes.read()));
    Passes first = begun.get();
    Passes last = passes.read();
    return new Behind(
        line.queued(),
        line.shapes(),
        MEASURED,
        Rounded.tenths(MEASURED / seconds),
        hundredths(last.millisEach(first)),
        hundredths(last.decisionMillisEach(first)),
        meter.memory(List.of("dispatcher")) / MIB);
  }

  private static double hundredths(double figure) {
    return Math.round(figure * 100) / 100.0;
  }
}
