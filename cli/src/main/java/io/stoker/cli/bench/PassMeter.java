package io.stoker.cli.bench;

import io.stoker.cli.outcome.CliException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** What a dispatcher's metrics say of its placement passes. */
final class PassMeter implements AutoCloseable {
  private static final String PASS = "stoker_placement_pass_seconds";
  private static final String DECISION = "stoker_placement_decision_seconds";
  private static final Duration ANSWER = Duration.ofSeconds(20);

  private final URI metrics;
  private final HttpClient http = HttpClient.newHttpClient();

  PassMeter(URI dispatcher) {
    metrics = URI.create(dispatcher + "/q/metrics");
  }

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
    try {
      HttpRequest request = HttpRequest.newBuilder(metrics).timeout(ANSWER).build();
      return http.send(request, BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw CliException.unreachable("no metrics from %s: %s".formatted(metrics, e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.failed("interrupted");
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
