package io.stoker.agent.ssh;

import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The settings of jobs on nodes.
 *
 * @param perNode jobs at once on each
 * @param nodeFolder where run folders are on a node; relative to the user's home there
 * @param env of every job, which a request may replace
 * @param seed of the choice among equal nodes, for the same choices again
 */
public record RemoteSettings(
    LinkSettings link,
    FollowRules rules,
    int perNode,
    String nodeFolder,
    Map<String, String> env,
    JobCare care,
    OptionalLong seed) {
  /** Refuses what no node could do. */
  public RemoteSettings {
    if (perNode < 1) {
      throw new IllegalArgumentException("per-node: %d, expected 1 or more".formatted(perNode));
    }
    if (rules.tries() < 1) {
      throw new IllegalArgumentException("tries: %d, expected 1 or more".formatted(rules.tries()));
    }
    try {
      NodeFiles.name(nodeFolder);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("node-folder: " + e.getMessage());
    }
    care.lack()
        .ifPresent(
            why -> {
              throw new IllegalArgumentException(why);
            });
    for (Path file : care.files()) {
      NodeFiles.name(file.getFileName().toString());
    }
  }
}
