package io.stoker.cli.stack;

import io.stoker.cli.outcome.CliException;
import io.stoker.common.topic.Topics;
import java.util.HashMap;
import java.util.Map;

/**
 * What a stack consists of beside Kafka, Postgres and Redis.
 *
 * @param dispatchers how many replicas, 0 to 16; with none, the database is not migrated either
 * @param hosts how many agents, 0 to 64; they are called host-1, host-2, …
 * @param gpus simulated GPUs of each host, 0 to 64; with 0 a host has what the machine has
 * @param topicPrefix of every topic
 * @param dispatcherEnvironment given to every dispatcher, over the stack's own settings
 * @param agentEnvironment given to every agent, over the stack's own settings
 * @param environments given to single services, by name ({@code dispatcher-1}, {@code
 *     agent-host-1}), over everything else
 * @param kafkaListeners further listeners of the broker, by name, each with the {@code host:port}
 *     that it advertises: for clients that reach it by way of that
 * @param settings of dispatchers and agents by key, each given to whom it is for; weaker than every
 *     variable
 * @param secure whether Kafka takes nobody without TLS and a login, and each for its own alone; a
 *     stack that was secure stays so
 */
public record StackOptions(
    int dispatchers,
    int hosts,
    int gpus,
    String topicPrefix,
    Map<String, String> dispatcherEnvironment,
    Map<String, String> agentEnvironment,
    Map<String, Map<String, String>> environments,
    Map<String, String> kafkaListeners,
    Map<String, String> settings,
    boolean secure) {
  /** One dispatcher and one host. */
  public static final StackOptions DEFAULT =
      new StackOptions(
          1, 1, 0, Topics.DEFAULT_PREFIX, Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), false);

  /** Kafka, Postgres and Redis alone. */
  public static final StackOptions BACKENDS_ONLY = DEFAULT.withDispatchers(0).withHosts(0);

  private static final int MOST_DISPATCHERS = 16;
  private static final int MOST_HOSTS = 64;
  private static final int MOST_GPUS = 64;

  public StackOptions {
    requireBetween("dispatchers", dispatchers, MOST_DISPATCHERS);
    requireBetween("hosts", hosts, MOST_HOSTS);
    requireBetween("gpus", gpus, MOST_GPUS);
    dispatcherEnvironment = Map.copyOf(dispatcherEnvironment);
    agentEnvironment = Map.copyOf(agentEnvironment);
    environments = Map.copyOf(environments);
    kafkaListeners = Map.copyOf(kafkaListeners);
    settings = Map.copyOf(settings);
  }

  public StackOptions withDispatchers(int count) {
    return new StackOptions(
        count,
        hosts,
        gpus,
        topicPrefix,
        dispatcherEnvironment,
        agentEnvironment,
        environments,
        kafkaListeners,
        settings,
        secure);
  }

  public StackOptions withHosts(int count) {
    return new StackOptions(
        dispatchers,
        count,
        gpus,
        topicPrefix,
        dispatcherEnvironment,
        agentEnvironment,
        environments,
        kafkaListeners,
        settings,
        secure);
  }

  public StackOptions withGpus(int count) {
    return new StackOptions(
        dispatchers,
        hosts,
        count,
        topicPrefix,
        dispatcherEnvironment,
        agentEnvironment,
        environments,
        kafkaListeners,
        settings,
        secure);
  }

  public StackOptions withDispatcherEnvironment(Map<String, String> variables) {
    return new StackOptions(
        dispatchers,
        hosts,
        gpus,
        topicPrefix,
        variables,
        agentEnvironment,
        environments,
        kafkaListeners,
        settings,
        secure);
  }

  public StackOptions withAgentEnvironment(Map<String, String> variables) {
    return new StackOptions(
        dispatchers,
        hosts,
        gpus,
        topicPrefix,
        dispatcherEnvironment,
        variables,
        environments,
        kafkaListeners,
        settings,
        secure);
  }

  public StackOptions withEnvironments(Map<String, Map<String, String>> variables) {
    return new StackOptions(
        dispatchers,
        hosts,
        gpus,
        topicPrefix,
        dispatcherEnvironment,
        agentEnvironment,
        variables,
        kafkaListeners,
        settings,
        secure);
  }

  public StackOptions withKafkaListeners(Map<String, String> advertised) {
    return new StackOptions(
        dispatchers,
        hosts,
        gpus,
        topicPrefix,
        dispatcherEnvironment,
        agentEnvironment,
        environments,
        advertised,
        settings,
        secure);
  }

  public StackOptions withSettings(Map<String, String> byKey) {
    return new StackOptions(
        dispatchers,
        hosts,
        gpus,
        topicPrefix,
        dispatcherEnvironment,
        agentEnvironment,
        environments,
        kafkaListeners,
        byKey,
        secure);
  }

  public StackOptions withSecure(boolean wished) {
    return new StackOptions(
        dispatchers,
        hosts,
        gpus,
        topicPrefix,
        dispatcherEnvironment,
        agentEnvironment,
        environments,
        kafkaListeners,
        settings,
        wished);
  }

  /** What one service is given over the stack's own settings. */
  Map<String, String> environmentOf(String service, Map<String, String> ofItsKind) {
    Map<String, String> environment = new HashMap<>(ofItsKind);
    environment.putAll(environments.getOrDefault(service, Map.of()));
    return environment;
  }

  private static void requireBetween(String what, int count, int most) {
    if (count < 0 || count > most) {
      throw CliException.usage("--%s is %d, expected 0 to %d".formatted(what, count, most));
    }
  }
}
