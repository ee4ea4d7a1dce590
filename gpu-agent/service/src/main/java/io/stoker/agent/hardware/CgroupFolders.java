package io.stoker.agent.hardware;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds the limits of a process in the one hierarchy of cgroup v2. */
final class CgroupFolders {
  private static final String UNIFIED = "0::";

  private CgroupFolders() {}

  /**
   * Its cgroup and all above it, each of which may limit it; none without cgroup v2.
   *
   * @param cgroup the process's {@code /proc/PID/cgroup}
   * @param root where the hierarchy is mounted
   */
  static List<Path> of(String cgroup, Path root) {
    List<Path> folders = new ArrayList<>();
    cgroup
        .lines()
        .filter(line -> line.startsWith(UNIFIED + "/"))
        .findFirst()
        .ifPresent(
            line -> {
              Path folder = root.resolve(line.substring(UNIFIED.length() + 1)).normalize();
              // What lies above the mounted part, as it may in a container, cannot be seen.
              for (Path one = folder; one != null && one.startsWith(root); one = one.getParent()) {
                folders.add(one);
              }
              if (folders.isEmpty()) {
                folders.add(root);
              }
            });
    return folders;
  }
}
