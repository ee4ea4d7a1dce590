package io.stoker.agent.app;

import io.stoker.agent.config.AgentConfig;
import io.stoker.agent.container.ContainerRunner;
import io.stoker.agent.container.ContainerSettings;
import io.stoker.agent.host.Serving;
import io.stoker.agent.passive.PassiveRunner;
import io.stoker.agent.runner.RunnerFactory;
import io.stoker.common.request.RunnerType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes an agent's runners from the configuration: the one place that knows every runner there is.
 */
final class RunnersOf {
  private static final String TYPES = "stoker.agent.runners.types";

  private RunnersOf() {}

  /**
   * What it runs, and for whom.
   *
   * @throws IllegalArgumentException naming the key that is wrong
   */
  static Serving config(AgentConfig config) {
    Set<RunnerType> processes = EnumSet.noneOf(RunnerType.class);
    List<RunnerFactory> runners = new ArrayList<>();
    for (String named : new LinkedHashSet<>(config.runners().types())) {
      RunnerType type = RunnerType.of(named.strip()).orElseThrow(() -> unknown(named));
      switch (type) {
        case CPU, GPU -> processes.add(type);
        case PASSIVE -> runners.add(PassiveRunner::new);
        case CONTAINER -> runners.add(containers(config));
        case SSH -> runners.add(RemoteOf.ssh(config));
        case AWS -> runners.add(RemoteOf.aws(config));
      }
    }
    return new Serving(
        processes,
        runners,
        config.users().orElse(List.of()),
        SecretsOf.config(config.secrets(), System.getenv()),
        config.allowCommands());
  }

  private static RunnerFactory containers(AgentConfig config) {
    String path = System.getenv().getOrDefault("PATH", "");
    ContainerSettings settings =
        ContainersOf.config(config.runners().container(), config.data(), path);
    return context -> new ContainerRunner(context, settings);
  }

  private static IllegalArgumentException unknown(String named) {
    return new IllegalArgumentException(
        "%s: %s, expected some of %s".formatted(TYPES, named, RunnerType.keys()));
  }
}
