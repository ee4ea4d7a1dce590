package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that names a service's configuration file. */
public final class ConfigOption {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = {
        "Properties or YAML file with stoker.* keys.",
        "Environment variables (STOKER_...) win over it."
      })
  private Path config;

  /**
   * @throws CliException with exit code 2 if the file cannot be read
   */
  Optional<Path> file() {
    if (config != null && !Files.isReadable(config)) {
      throw CliException.usage("--config is %s: no such file, or not readable".formatted(config));
    }
    return Optional.ofNullable(config);
  }
}
