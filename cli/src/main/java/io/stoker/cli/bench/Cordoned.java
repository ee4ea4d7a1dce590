package io.stoker.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Fleet;
import java.time.Duration;
import java.util.List;

/** Hosts that take nothing as long as this is open; those that took nothing before stay so. */
final class Cordoned implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration BETWEEN = Duration.ofMillis(50);

  private final Fleet fleet;
  private final List<String> hosts;

  private Cordoned(Fleet fleet, List<String> hosts) {
    this.fleet = fleet;
    this.hosts = hosts;
  }

  static Cordoned all(Fleet fleet) {
    List<String> open = open(fleet);
    Cordoned cordoned = new Cordoned(fleet, open);
    try {
      open.forEach(host -> fleet.cordon(host, "a benchmark of the intake runs"));
      cordoned.await();
      return cordoned;
    } catch (RuntimeException e) {
      cordoned.close();
      throw e;
    }
  }

  private void await() {
    long start = System.nanoTime();
    while (!open(fleet).isEmpty()) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw CliException.failed("the hosts %s are not cordoned".formatted(open(fleet)));
      }
      try {
        Thread.sleep(BETWEEN);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw CliException.interrupted();
      }
    }
  }

  private static List<String> open(Fleet fleet) {
    return fleet.hosts().stream()
        .filter(host -> !host.path("cordoned").asBoolean())
        .map((JsonNode host) -> host.path("host").asText())
        .toList();
  }

  @Override
  public void close() {
    hosts.forEach(fleet::uncordon);
  }
}
