package io.stoker.agent.ssh;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How jobs run on nodes.
 *
 * @param perNode jobs at once on each
 * @param nodeFolder where run folders are on a node; relative to the user's home there
 * @param env of every job, which a request may replace
 * @param preScript shell text before each job's command
 * @param postScript shell text after it
 * @param files copied into each job's scratch folder
 * @param grace between TERM and KILL for what a job leaves behind
 * @param seed of the choice among equal nodes, for the same choices again
 */
public record RemoteSettings(
    LinkSettings link,
    FollowRules rules,
    int perNode,
    String nodeFolder,
    Map<String, String> env,
    Optional<String> preScript,
    Optional<String> postScript,
    List<Path> files,
    Duration grace,
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
    for (Path file : files) {
      if (!java.nio.file.Files.isRegularFile(file)) {
        throw new IllegalArgumentException("files: " + file + " is not a file");
      }
      NodeFiles.name(file.getFileName().toString());
    }
  }
}
