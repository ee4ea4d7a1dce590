package io.stoker.cli.stack;

import io.stoker.cli.outcome.CliException;
import java.util.HashMap;
import java.util.Map;

/**
 * The parts of a stack beside Kafka, Postgres and Redis.
 *
 * @param environments over the stack's own settings
 * @param kafkaListeners further listeners of the broker, by name, each with the {@code host:port}
 *     that it advertises: for clients that reach it by way of that
 * @param settings of dispatchers and agents by key, each given to whom it is for; weaker than every
 *     variable
 * @param secure whether Kafka takes nobody without TLS and a login, and each for its own alone; a
 *     stack that was secure stays so
 */
public record StackOptions(
    Size size,
    Environments environments,
    Map<String, String> kafkaListeners,
    Map<String, String> settings,
    boolean secure) {
  /** One dispatcher and one host. */
  public static final StackOptions DEFAULT =
      new StackOptions(
          new Size(1, 1, 0),
          new Environments(Map.of(), Map.of(), Map.of()),
          Map.of(),
          Map.of(),
          false);

  /** Kafka, Postgres and Redis alone. */
  public static final StackOptions BACKENDS_ONLY = DEFAULT.withDispatchers(0).withHosts(0);

  /**
   * How much there is of it.
   *
   * @param dispatchers how many replicas, 0 to 16; with none, the database is not migrated either
   * @param hosts how many agents, 0 to 64; they are called host-1, host-2, …
   * @param gpus simulated GPUs of each host, 0 to 64; with 0 a host has what the machine has
   */
  public record Size(int dispatchers, int hosts, int gpus) {
    private static final int MOST_DISPATCHERS = 16;
    private static final int MOST_HOSTS = 64;
    private static final int MOST_GPUS = 64;

    public Size {
      requireBetween("dispatchers", dispatchers, MOST_DISPATCHERS);
      requireBetween("hosts", hosts, MOST_HOSTS);
      requireBetween("gpus", gpus, MOST_GPUS);
    }

    private static void requireBetween(String what, int count, int most) {
      if (count < 0 || count > most) {
        throw CliException.usage("--%s is %d, expected 0 to %d".formatted(what, count, most));
      }
    }
  }

  /**
   * Variables that services are given.
   *
   * @param dispatchers every dispatcher
   * @param agents every agent
   * @param byService single services, by name ({@code dispatcher-1}, {@code agent-host-1}), over
   *     everything else
   */
  public record Environments(
      Map<String, String> dispatchers,
      Map<String, String> agents,
      Map<String, Map<String, String>> byService) {
    public Environments {
      dispatchers = Map.copyOf(dispatchers);
      agents = Map.copyOf(agents);
      byService = Map.copyOf(byService);
    }
  }

  public StackOptions {
    kafkaListeners = Map.copyOf(kafkaListeners);
    settings = Map.copyOf(settings);
  }

  public StackOptions withDispatchers(int count) {
    return with(new Size(count, size.hosts, size.gpus));
  }

  public StackOptions withHosts(int count) {
    return with(new Size(size.dispatchers, count, size.gpus));
  }

  public StackOptions withGpus(int count) {
    return with(new Size(size.dispatchers, size.hosts, count));
  }

  public StackOptions withDispatcherEnvironment(Map<String, String> variables) {
    return with(new Environments(variables, environments.agents, environments.byService));
  }

  public StackOptions withAgentEnvironment(Map<String, String> variables) {
    return with(new Environments(environments.dispatchers, variables, environments.byService));
  }

  /** By the names of the services. */
  public StackOptions withEnvironments(Map<String, Map<String, String>> variables) {
    return with(new Environments(environments.dispatchers, environments.agents, variables));
  }

  private StackOptions with(Size other) {
    return new StackOptions(other, environments, kafkaListeners, settings, secure);
  }

  private StackOptions with(Environments other) {
    return new StackOptions(size, other, kafkaListeners, settings, secure);
  }

  public StackOptions withKafkaListeners(Map<String, String> advertised) {
    return new StackOptions(size, environments, advertised, settings, secure);
  }

  public StackOptions withSettings(Map<String, String> byKey) {
    return new StackOptions(size, environments, kafkaListeners, byKey, secure);
  }

  public StackOptions withSecure(boolean wished) {
    return new StackOptions(size, environments, kafkaListeners, settings, wished);
  }

  /** What one service is given over the stack's own settings. */
  Map<String, String> environmentOf(String service, Map<String, String> ofItsKind) {
    Map<String, String> environment = new HashMap<>(ofItsKind);
    environment.putAll(environments.byService.getOrDefault(service, Map.of()));
    return environment;
  }
}
