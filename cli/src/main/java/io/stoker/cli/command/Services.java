package io.stoker.cli.command;

import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.local.StackSettings;
import io.stoker.cli.stack.service.SecretSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the database and Kafka for a service's own command.
 *
 * @param config a file of configuration, besides the environment
 * @param environment of a local stack; empty for that of this process
 */
record Services(Optional<Path> config, Map<String, String> environment) {
  /**
   * Those of the local stack, unless a file or the environment names others.
   *
   * @throws io.stoker.cli.outcome.CliException with exit code 2 if that file cannot be read
   */
  static Services of(DataOption data, ConfigOption config) throws IOException {
    Optional<Path> named = config.file();
    if (named.isPresent() || System.getenv("STOKER_POSTGRES_URL") != null) {
      return new Services(named, Map.of());
    }
    Optional<Addresses> local = Connection.of(data).running().map(RunningStack::addresses);
    return local.isPresent() ? ofStack(data, local.get()) : new Services(named, Map.of());
  }

  private static Services ofStack(DataOption data, Addresses addresses) throws IOException {
    URI url = URI.create(addresses.postgres());
    String[] credentials = url.getUserInfo().split(":", 2);
    Map<String, String> own = new HashMap<>(SecretSettings.ofDatabase(credentials[1]));
    // What hosts have said is believed by their keys, also by who restores the database.
    StackSettings.read(data.folder())
        .ifPresent(settings -> own.put("stoker.host-secret", settings.hostSecret()));
    if (addresses.kafkaConfig() != null) {
      own.put("stoker.kafka.config", addresses.kafkaConfig());
    }
    return new Services(
        Optional.of(SecretSettings.write(data.folder(), "commands", own)),
        Map.of(
            "STOKER_KAFKA_BOOTSTRAP_SERVERS",
            addresses.bootstrap(),
            "STOKER_POSTGRES_URL",
            "postgresql://%s:%d%s".formatted(url.getHost(), url.getPort(), url.getPath()),
            "STOKER_POSTGRES_USER",
            credentials[0]));
  }
}
