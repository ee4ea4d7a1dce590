package io.stoker.cli.stack.service;

import io.stoker.cli.stack.postgres.Database;
import io.stoker.cli.stack.postgres.EmbeddedPostgres;
import io.stoker.common.topic.Topics;
import java.util.HashMap;
import java.util.Map;

/**
 * The addresses that the services connect to.
 *
 * @param bootstrap Kafka, {@code host:port}
 * @param redis {@code redis://host:port}
 * @param redisPassword of whoever asks it something
 */
public record Backends(String bootstrap, Database database, String redis, String redisPassword) {
  /**
   * How a stack's own Postgres and Redis are spoken to, whatever the environment of this process
   * says of others.
   */
  public static final Map<String, String> WITHOUT_TLS =
      Map.of(
          "STOKER_POSTGRES_TLS", "disable",
          "STOKER_POSTGRES_TLS_CA", "",
          "STOKER_POSTGRES_TLS_CERT", "",
          "STOKER_POSTGRES_TLS_KEY", "",
          "STOKER_REDIS_TLS_CA", "",
          "STOKER_REDIS_TLS_CERT", "",
          "STOKER_REDIS_TLS_KEY", "");

  Map<String, String> ofDispatcher() {
    Map<String, String> variables = new HashMap<>(WITHOUT_TLS);
    variables.put("STOKER_KAFKA_BOOTSTRAP_SERVERS", bootstrap);
    variables.put("STOKER_TOPICS_PREFIX", Topics.DEFAULT_PREFIX);
    variables.put("STOKER_POSTGRES_URL", database.url());
    variables.put("STOKER_POSTGRES_USER", EmbeddedPostgres.USER);
    variables.put("STOKER_REDIS_URL", redis);
    return variables;
  }

  Map<String, String> ofAgent() {
    return Map.of(
        "STOKER_KAFKA_BOOTSTRAP_SERVERS", bootstrap, "STOKER_TOPICS_PREFIX", Topics.DEFAULT_PREFIX);
  }
}
