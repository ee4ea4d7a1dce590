package io.stoker.agent.app;

import io.stoker.agent.attempt.SecretQueues;
import io.stoker.agent.config.SecretConfig;
import io.stoker.agent.secret.CommandSource;
import io.stoker.agent.secret.HostSecrets;
import io.stoker.agent.secret.HostSecrets.HostSecret;
import io.stoker.agent.secret.SecretSource;
import io.stoker.common.request.SecretName;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A host's secrets, as configured. */
final class SecretsOf {
  private static final String KEY = "stoker.agent.secrets.";

  /** Where systemd puts a unit's credentials. */
  private static final String CREDENTIALS = "CREDENTIALS_DIRECTORY";

  private SecretsOf() {}

  /**
   * The secrets.
   *
   * @param environment the agent's
   * @throws IllegalArgumentException naming the key that is wrong
   */
  static HostSecrets config(Map<String, SecretConfig> config, Map<String, String> environment) {
    Map<String, HostSecret> secrets = new HashMap<>();
    config.forEach(
        (name, one) ->
            secrets.put(
                name, new HostSecret(source(name, one, environment), Set.copyOf(one.queues()))));
    return new HostSecrets(secrets);
  }

  /** Whose requests may use them. */
  static SecretQueues queues(Map<String, SecretConfig> config) {
    Map<String, Set<String>> queues = new HashMap<>();
    config.forEach((name, one) -> queues.put(name, Set.copyOf(one.queues())));
    return new SecretQueues(queues);
  }

  private static SecretSource source(
      String name, SecretConfig config, Map<String, String> environment) {
    long said =
        Stream.of(config.file(), config.credential(), config.command())
            .filter(one -> one.isPresent())
            .count();
    if (!SecretName.isValid(name) || said != 1) {
      throw new IllegalArgumentException(
          "%s%s: expected a name of A-Z a-z 0-9 _ -, and one of file, credential and command"
              .formatted(KEY, name));
    }
    if (config.command().isPresent()) {
      return new CommandSource(name, config.command().get(), config.refresh());
    }
    return SecretSource.file(
        config.file().orElseGet(() -> credential(name, config.credential().get(), environment)));
  }

  private static Path credential(String name, String credential, Map<String, String> environment) {
    String folder = environment.get(CREDENTIALS);
    if (folder == null) {
      throw new IllegalArgumentException(
          "%s%s.credential is %s, and systemd gives this agent none: see LoadCredential= in systemd.exec(5)"
              .formatted(KEY, name, credential));
    }
    return Path.of(folder, credential);
  }
}
