package io.stoker.cli.stack.service;

import io.stoker.cli.stack.postgres.Database;
import io.stoker.cli.stack.postgres.EmbeddedPostgres;
import io.stoker.common.topic.Topics;
import java.util.Map;

/**
 * The addresses that the services connect to.
 *
 * @param bootstrap Kafka, {@code host:port}
 * @param redis {@code redis://host:port}
 * @param redisPassword of whoever asks it something
 */
public record Backends(String bootstrap, Database database, String redis, String redisPassword) {
  Map<String, String> ofDispatcher() {
    return Map.of(
        "STOKER_KAFKA_BOOTSTRAP_SERVERS",
        bootstrap,
        "STOKER_TOPICS_PREFIX",
        Topics.DEFAULT_PREFIX,
        "STOKER_POSTGRES_URL",
        database.url(),
        "STOKER_POSTGRES_USER",
        EmbeddedPostgres.USER,
        "STOKER_REDIS_URL",
        redis);
  }

  Map<String, String> ofAgent() {
    return Map.of(
        "STOKER_KAFKA_BOOTSTRAP_SERVERS", bootstrap, "STOKER_TOPICS_PREFIX", Topics.DEFAULT_PREFIX);
  }
}
