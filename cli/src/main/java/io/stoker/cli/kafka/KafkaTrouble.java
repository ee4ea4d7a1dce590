package io.stoker.cli.kafka;

import io.stoker.cli.outcome.CliException;

/** Says what is wrong with Kafka and what to do. */
final class KafkaTrouble {
  private KafkaTrouble() {}

  static CliException unreachable(String bootstrap, Throwable cause) {
    return CliException.unreachable(
        "Kafka at %s does not answer (%s): see stoker info, or set STOKER_BOOTSTRAP"
            .formatted(bootstrap, cause.getMessage()),
        cause);
  }
}
