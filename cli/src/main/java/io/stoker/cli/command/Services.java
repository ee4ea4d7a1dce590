package io.stoker.cli.command;

import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.RunningStack;
import java.net.URI;
import java.util.Map;

/** Which database and Kafka a service's own command works on. */
final class Services {
  private Services() {}

  /**
   * Variables for those of the local stack, unless a file or the environment names others.
   *
   * @throws io.stoker.cli.outcome.CliException with exit code 2 if that file cannot be read
   */
  static Map<String, String> variables(DataOption data, ConfigOption config) {
    if (config.file().isPresent() || System.getenv("STOKER_POSTGRES_URL") != null) {
      return Map.of();
    }
    return Connection.of(data)
        .running()
        .map(RunningStack::addresses)
        .map(Services::variables)
        .orElse(Map.of());
  }

  private static Map<String, String> variables(Addresses addresses) {
    URI url = URI.create(addresses.postgres());
    String[] credentials = url.getUserInfo().split(":", 2);
    return Map.of(
        "STOKER_KAFKA_BOOTSTRAP_SERVERS",
        addresses.bootstrap(),
        "STOKER_POSTGRES_URL",
        "postgresql://%s:%d%s".formatted(url.getHost(), url.getPort(), url.getPath()),
        "STOKER_POSTGRES_USER",
        credentials[0],
        "STOKER_POSTGRES_PASSWORD",
        credentials[1]);
  }
}
