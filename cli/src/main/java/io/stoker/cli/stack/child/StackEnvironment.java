package io.stoker.cli.stack.child;

import java.util.Map;
import java.util.Set;

/**
 * The environment of a stack's processes: that of this one, without what it says of another stack,
 * whose Kafka, login or port it may name.
 */
public final class StackEnvironment {
  /**
   * Variables that the stack gives its services itself: their settings are not for others to make.
   */
  public static final Set<String> OWN =
      Set.of(
          "STOKER_KAFKA_BOOTSTRAP_SERVERS",
          "STOKER_KAFKA_CONFIG",
          "STOKER_TOPICS_PREFIX",
          "STOKER_POSTGRES_URL",
          "STOKER_POSTGRES_USER",
          "STOKER_POSTGRES_PASSWORD",
          "STOKER_POSTGRES_TLS",
          "STOKER_POSTGRES_TLS_CA",
          "STOKER_POSTGRES_TLS_CERT",
          "STOKER_POSTGRES_TLS_KEY",
          "STOKER_REDIS_URL",
          "STOKER_REDIS_PASSWORD",
          "STOKER_REDIS_TLS_CA",
          "STOKER_REDIS_TLS_CERT",
          "STOKER_REDIS_TLS_KEY",
          "STOKER_HTTP_PORT",
          "STOKER_HTTP_HOST",
          "STOKER_HTTP_MANAGEMENT_PORT",
          "QUARKUS_HTTP_HOST",
          "QUARKUS_HTTP_PORT",
          "STOKER_HOST_SECRET",
          "STOKER_REPLICA",
          "STOKER_AGENT_HOST",
          "STOKER_AGENT_DATA",
          "STOKER_AGENT_ADDRESS",
          "STOKER_AGENT_KEY",
          "STOKER_AGENT_KEY_FILE",
          "STOKER_AGENT_ON_STOP");

  /** Settings of Kafka's clients, of which each has a variable. */
  private static final String KAFKA = "STOKER_KAFKA_";

  private StackEnvironment() {}

  /**
   * Makes it.
   *
   * @param inherited that of this process, which becomes that of the stack's
   */
  public static void give(Map<String, String> inherited, Map<String, String> own) {
    inherited.keySet().removeIf(name -> OWN.contains(name) || name.startsWith(KAFKA));
    inherited.putAll(own);
  }
}
