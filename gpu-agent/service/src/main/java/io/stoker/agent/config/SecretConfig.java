package io.stoker.agent.config;

import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code stoker.agent.secrets.NAME.*}: one of the three says where its value is. */
public interface SecretConfig {
  /** A file, such as Docker and Kubernetes make of a secret. */
  Optional<Path> file();

  /** The name of a credential that systemd gives the agent. */
  Optional<String> credential();

  /** What prints it: program and arguments. */
  Optional<List<String>> command();

  /** Between two runs of the command. */
  @WithDefault("5m")
  @WithConverter(Held.Period.class)
  Duration refresh();

  /** Whose requests may use it; {@code *} for all. */
  List<String> queues();
}
