package io.stoker.agent.cgroup;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides when runs have control groups, and what these allow.
 *
 * @param mode whether they are wanted
 * @param parent group below which they are made; what the agent finds by itself if not given
 * @param memoryMax how much memory a run may take
 * @param tolerance by which that is more than it was promised, in proportion
 */
public record GroupRules(Mode mode, Optional<Path> parent, MemoryMax memoryMax, double tolerance) {
  /** Whether groups are wanted. */
  public enum Mode {
    /** Where they account for memory. */
    AUTO,
    /** Also where they do nothing but end all of a run at once. */
    ON,
    /** Never. */
    OFF
  }

  /** How much memory a run may take. */
  public enum MemoryMax {
    /** As much as there is. */
    NONE,
    /** What it was promised, and no more than is tolerated. */
    PROMISED
  }

  private static final String NO_CGROUPS = "there is no cgroup v2 that this process can see";

  /** None are wanted. */
  public static final GroupRules OFF =
      new GroupRules(Mode.OFF, Optional.empty(), MemoryMax.NONE, 0);

  /**
   * The groups of an agent's runs.
   *
   * @param owner what tells them from another agent's
   * @param proc where the kernel shows this process
   */
  public RunGroups open(String owner, Path proc) {
    if (mode == Mode.OFF) {
      return RunGroups.none("turned off by stoker.agent.cgroups.mode");
    }
    return parent
        .or(() -> OwnGroup.find(proc))
        .map(folder -> RunGroups.below(new GroupFolder(folder), owner, mode == Mode.ON))
        .orElseGet(() -> RunGroups.none(NO_CGROUPS));
  }

  /**
   * What an agent could have that is started as this process was; nothing is changed.
   *
   * @return for people
   */
  public static String outlook(Optional<Path> parent, Path proc) {
    return parent
        .or(() -> OwnGroup.find(proc))
        .map(folder -> RunGroups.outlook(new GroupFolder(folder)))
        .orElse("none: " + NO_CGROUPS);
  }

  /**
   * What a run may take, bytes; empty for no limit.
   *
   * @param promised bytes, null if none were
   */
  public OptionalLong limit(OptionalLong promised) {
    return memoryMax == MemoryMax.NONE || promised.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(Math.round(promised.getAsLong() * (1 + tolerance)));
  }
}
