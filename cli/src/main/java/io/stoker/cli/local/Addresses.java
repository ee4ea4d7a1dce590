package io.stoker.cli.local;

import io.stoker.kafka.KafkaAccess;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The addresses at which a stack listens.
 *
 * @param bootstrap Kafka, as {@code host:port}
 * @param url REST of the first dispatcher; null if the stack has none
 * @param postgres {@code postgresql://user:password@host:port/database}
 * @param redis {@code redis://:password@host:port}
 * @param kafkaConfig file with the settings of Kafka's clients; null where there are none
 * @param tokenFile file with a token of REST; null where the stack has made none
 */
public record Addresses(
    String bootstrap,
    String url,
    String postgres,
    String redis,
    String kafkaConfig,
    String tokenFile) {
  /** How its Kafka is reached. */
  public KafkaAccess kafka() {
    return KafkaAccess.at(bootstrap, Optional.ofNullable(kafkaConfig).map(Path::of));
  }
}
