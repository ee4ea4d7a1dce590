package io.stoker.agent.runner;

import io.stoker.agent.cgroup.RunGroups;
import io.stoker.agent.secret.HostSecrets;
import java.nio.file.Path;

/**
 * The settings of a runner.
 *
 * @param terms of all its runs
 * @param groups control groups of the runs
 * @param affinity on which processors they run
 * @param secrets that they may have
 * @param commands whether they may be what a request says, and not of a kind alone
 */
public record RunnerSettings(
    Owner owner,
    RunTerms terms,
    RunGroups groups,
    Affinity affinity,
    HostSecrets secrets,
    boolean commands) {
  /**
   * Whose runs they are.
   *
   * @param host this one's name
   * @param data the agent's data folder, absolute
   * @param mark what the markers of this agent's runs begin with: its journal's id
   * @param bootId of this boot
   */
  public record Owner(String host, Path data, String mark, String bootId) {}
}
