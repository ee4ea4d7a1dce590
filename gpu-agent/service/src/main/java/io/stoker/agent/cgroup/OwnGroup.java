package io.stoker.agent.cgroup;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds the group below which the agent may make others. That is its own one; the one above, if its
 * own is named {@value #SUBGROUP}, as a unit of systemd with {@code DelegateSubgroup} has it: with
 * processes of its own a group cannot hand controllers down.
 */
public final class OwnGroup {
  /** What an agent's group is named if the one above it is the agent's, too. */
  public static final String SUBGROUP = "stoker-agent";

  private static final String UNIFIED = "0::";
  private static final String TYPE = "cgroup2";

  private OwnGroup() {}

  /**
   * Its folder.
   *
   * @param proc where the kernel shows this process
   * @return empty without cgroup v2, or if the group is outside what is mounted
   */
  public static Optional<Path> find(Path proc) {
    Optional<Path> mount = mount(proc);
    Optional<String> own =
        lines(proc.resolve("self/cgroup")).stream()
            .filter(line -> line.startsWith(UNIFIED + "/"))
            .map(line -> line.substring(UNIFIED.length() + 1))
            .findFirst();
    if (mount.isEmpty() || own.isEmpty()) {
      return Optional.empty();
    }
    Path folder = mount.get().resolve(own.get()).normalize();
    boolean sub = folder.endsWith(SUBGROUP);
    return Optional.of(sub ? folder.getParent() : folder)
        .filter(base -> base.startsWith(mount.get()));
  }

  /** Where cgroup v2 is mounted: beside version 1 that is not at the usual place. */
  private static Optional<Path> mount(Path proc) {
    return lines(proc.resolve("self/mounts")).stream()
        .map(line -> line.split(" "))
        .filter(words -> words.length > 2 && words[2].equals(TYPE))
        .map(words -> Path.of(words[1]))
        .findFirst();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return List.of();
    }
  }
}
