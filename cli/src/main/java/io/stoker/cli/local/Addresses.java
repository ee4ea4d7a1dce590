package io.stoker.cli.local;

import io.stoker.kafka.KafkaAccess;

/**
 * Where a stack listens.
 *
 * @param bootstrap Kafka, as {@code host:port}
 * @param url REST of the first dispatcher; null if the stack has none
 * @param postgres {@code postgresql://user:password@host:port/database}
 * @param redis {@code redis://host:port}
 */
public record Addresses(String bootstrap, String url, String postgres, String redis) {
  /** How its Kafka is reached. */
  public KafkaAccess kafka() {
    return KafkaAccess.at(bootstrap);
  }
}
