package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import java.time.Instant;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that choose a topic's newest records. */
final class NewestOptions {
  @Option(
      names = "--since",
      paramLabel = "D",
      converter = WhenConverter.class,
      description = "Only those of the last 2h, 7d, or since a time in ISO 8601.")
  private Instant since;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "At most so many, the newest. Default: ${DEFAULT-VALUE}.")
  private int limit;

  Optional<Instant> since() {
    return Optional.ofNullable(since);
  }

  /**
   * How many at most.
   *
   * @throws CliException if it is less than 1
   */
  int limit() {
    if (limit < 1) {
      throw CliException.usage("--limit is %d, expected 1 or more".formatted(limit));
    }
    return limit;
  }
}
