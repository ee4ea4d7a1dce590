package io.stoker.agent.app;

import io.stoker.agent.config.AgentConfig;
import io.stoker.agent.config.IsolationConfig;
import io.stoker.agent.runner.Confinement;
import io.stoker.agent.runner.Isolation;
import io.stoker.agent.runner.IsolationRules;
import io.stoker.agent.runner.RunAs;
import io.stoker.agent.runner.RunUsers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jboss.logging.Logger;

/** Makes the confinement of jobs' processes from the configuration. */
final class ConfinementOf {
  private static final Logger LOG = Logger.getLogger(ConfinementOf.class);
  private static final String KEY = "isolation.";

  private ConfinementOf() {}

  /**
   * It, as far as this host can do it.
   *
   * @param data the agent's data folder, absolute
   * @throws IllegalArgumentException naming the key that cannot be obeyed
   */
  static Confinement config(AgentConfig config, Path data) throws IOException {
    RunAs others = user(config.runAs().user(), "stoker.agent.run-as", config, data);
    Map<String, RunAs> byQueue = users("queues", config.runAs().queues(), config, data);
    Map<String, RunAs> bySender = users("senders", config.runAs().senders(), config, data);
    Files.createDirectories(data);
    Confinement all =
        new Confinement(
            new RunUsers(others, byQueue, bySender), Isolation.of(rules(config.isolation()), data));
    LOG.infof("jobs run %s", all.words());
    return all;
  }

  private static Map<String, RunAs> users(
      String by, Map<String, String> names, AgentConfig config, Path data) throws IOException {
    Map<String, RunAs> users = new HashMap<>();
    for (Map.Entry<String, String> one : names.entrySet()) {
      String key = "stoker.agent.run-as.%s.%s".formatted(by, one.getKey());
      users.put(one.getKey(), user(Optional.of(one.getValue()), key, config, data));
    }
    return users;
  }

  private static RunAs user(Optional<String> name, String key, AgentConfig config, Path data)
      throws IOException {
    RunAs who = name.isPresent() ? otherUser(name.get(), key, data) : RunAs.SELF;
    return config.gainPrivileges() ? who.gaining() : who;
  }

  private static RunAs otherUser(String name, String key, Path data) throws IOException {
    RunAs user = RunAs.user(name, key);
    user.closedAbove(data)
        .forEach(
            folder ->
                LOG.warnf(
                    "jobs run as '%s', who may not pass the folder %s: they will not find their"
                        + " files unless its mode allows it",
                    name, folder));
    return user;
  }

  private static IsolationRules rules(IsolationConfig config) {
    List<Path> readOnly = config.readOnly().orElse(List.of());
    for (Path path : readOnly) {
      if (!path.isAbsolute()) {
        throw new IllegalArgumentException(
            "stoker.agent.isolation.read-only: %s is no absolute path".formatted(path));
      }
    }
    return new IsolationRules(
        config.network() == IsolationConfig.Network.NONE,
        config.privateTmp(),
        readOnly,
        new IsolationRules.Limits(
            config.processes(),
            config.openFiles(),
            size("file-size", config.fileSize()),
            size("core-size", config.coreSize())));
  }

  private static OptionalLong size(String key, Optional<String> size) {
    return size.isPresent()
        ? OptionalLong.of(StagedRules.size(KEY + key, size.get()))
        : OptionalLong.empty();
  }
}
