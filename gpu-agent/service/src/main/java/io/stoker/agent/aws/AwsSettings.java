package io.stoker.agent.aws;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings by which instances are started.
 *
 * @param mapping file of them: {@code user@instance-id[:port] [keyfile]} a line
 * @param tries to start one
 * @param every between two of them
 * @param shutdown whether what was started is stopped when nothing uses it
 * @param region else as Amazon's client finds it
 * @param endpoint else Amazon's
 * @param answerTimeout how long EC2 may take to answer
 */
public record AwsSettings(
    Path mapping,
    int tries,
    Duration every,
    boolean shutdown,
    Optional<String> region,
    Optional<URI> endpoint,
    Duration answerTimeout) {
  /** Refuses what could never start anything. */
  public AwsSettings {
    if (tries < 1) {
      throw new IllegalArgumentException("tries: %d, expected 1 or more".formatted(tries));
    }
  }
}
