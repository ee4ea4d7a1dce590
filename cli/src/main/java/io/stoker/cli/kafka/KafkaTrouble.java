package io.stoker.cli.kafka;

import io.stoker.cli.outcome.CliException;
import io.stoker.kafka.KafkaAccess;

/** Says what is wrong with Kafka and what to do. */
final class KafkaTrouble {
  private KafkaTrouble() {}

  static CliException unreachable(KafkaAccess kafka, Throwable cause) {
    String sentence =
        kafka
            .refused(cause)
            .orElseGet(
                () ->
                    "Kafka at %s does not answer (%s): see stoker info, or set STOKER_BOOTSTRAP"
                        .formatted(kafka, kafka.trouble(cause)));
    return CliException.unreachable(sentence, cause);
  }
}
