package io.stoker.cli.bench;

import io.stoker.cli.CliException;
import io.stoker.cli.terminal.ProgressLine;
import java.time.Duration;
import java.util.Map;

/** What a stack takes while nothing is to do. */
final class Idle {
  /** Several heartbeats. */
  private static final Duration LENGTH = Duration.ofSeconds(10);

  private Idle() {}

  /** Percent of one core, by process. */
  static Map<String, Double> percent(Meter meter, ProgressLine progress) {
    progress.update("idle for %d s".formatted(LENGTH.toSeconds()));
    try {
      // What the work before left behind is done first.
      Thread.sleep(Duration.ofSeconds(1));
      Map<String, Double> before = meter.cpuSeconds();
      long start = System.nanoTime();
      Thread.sleep(LENGTH);
      double seconds = (System.nanoTime() - start) / 1e9;
      return Meter.between(before, meter.cpuSeconds(), 100 / seconds);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.failed("interrupted");
    }
  }
}
