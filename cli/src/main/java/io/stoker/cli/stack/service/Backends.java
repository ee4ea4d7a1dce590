package io.stoker.cli.stack.service;

import io.stoker.cli.stack.postgres.Database;
import io.stoker.cli.stack.postgres.EmbeddedPostgres;
import java.util.Map;

/**
 * What the services connect to.
 *
 * @param bootstrap Kafka, {@code host:port}
 * @param redis {@code redis://host:port}
 * @param redisPassword of whoever asks it something
 * @param topicPrefix of every topic, e.g. {@code stoker.}
 */
public record Backends(
    String bootstrap, Database database, String redis, String redisPassword, String topicPrefix) {

  Map<String, String> ofDispatcher() {
    return Map.of(
        "STOKER_KAFKA_BOOTSTRAP_SERVERS",
        bootstrap,
        "STOKER_TOPICS_PREFIX",
        topicPrefix,
        "STOKER_POSTGRES_URL",
        database.url(),
        "STOKER_POSTGRES_USER",
        EmbeddedPostgres.USER,
        "STOKER_REDIS_URL",
        redis);
  }

  Map<String, String> ofAgent() {
    return Map.of("STOKER_KAFKA_BOOTSTRAP_SERVERS", bootstrap, "STOKER_TOPICS_PREFIX", topicPrefix);
  }
}
