package io.stoker.cli.bench;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.RestClient;
import java.nio.charset.StandardCharsets;

/** Reads placement passes from a dispatcher's metrics. */
record PassMeter(RestClient rest) {
  private static final String PASS = "stoker_placement_pass_seconds";
  private static final String DECISION = "stoker_placement_decision_seconds";

  /**
   * Passes so far.
   *
   * @param count how many
   * @param seconds of all together, from snapshot to commit
   * @param deciding seconds of all together, of the decisions alone
   */
  record Passes(double count, double seconds, double deciding) {
    double millisEach(Passes before) {
      return (seconds - before.seconds()) / Math.max(1, count - before.count()) * 1e3;
    }

    double decisionMillisEach(Passes before) {
      return (deciding - before.deciding()) / Math.max(1, count - before.count()) * 1e3;
    }
  }

  Passes read() {
    String text = text();
    return new Passes(
        value(text, PASS + "_count"), value(text, PASS + "_sum"), value(text, DECISION + "_sum"));
  }

  /** A metric's sum over all its labels, in the text format of Prometheus. */
  static double value(String text, String name) {
    return text.lines()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private String text() {
    return rest.bytes("/q/metrics")
        .map(body -> new String(body, StandardCharsets.UTF_8))
        .orElseThrow(() -> CliException.unreachable("the dispatcher has no /q/metrics"));
  }
}
