package io.stoker.cli.bench;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.terminal.ProgressLine;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

/** Measures a stack at rest. */
final class Idle {
  /** Several heartbeats. */
  private static final Duration LENGTH = Duration.ofSeconds(10);

  private Idle() {}

  /** Percent of one core, by process. */
  static Map<String, Double> percent(Meter meter, ProgressLine progress) {
    // What the work before left behind is done first.
    return percent(meter::cpuSeconds, progress, Duration.ofSeconds(1), LENGTH);
  }

  /**
   * The same of anything.
   *
   * @param cpuSeconds taken so far, by process
   * @param before this long nothing is measured
   * @param length and this long it is
   */
  static Map<String, Double> percent(
      Supplier<Map<String, Double>> cpuSeconds,
      ProgressLine progress,
      Duration before,
      Duration length) {
    progress.update("idle for %d s".formatted(before.plus(length).toSeconds()));
    try {
      Thread.sleep(before);
      Map<String, Double> first = cpuSeconds.get();
      long start = System.nanoTime();
      Thread.sleep(length);
      double seconds = (System.nanoTime() - start) / 1e9;
      return Meter.between(first, cpuSeconds.get(), 100 / seconds);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.interrupted();
    }
  }
}
