package io.stoker.agent.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The folders of this host that a request may have in its container.
 *
 * @param roots those, and what is in them
 */
record Mounts(List<Path> roots) {
  private static final String KEY = "stoker.agent.runners.container.mounts";

  Mounts {
    roots = List.copyOf(roots);
  }

  /**
   * What is mounted for a work folder: where its links lead.
   *
   * @param data the agent's data folder, which no container sees
   * @throws IOException if a container may not have it, or it is not there
   */
  Path source(Path workdir, Path data) throws IOException {
    if (within(workdir, roots) && !Files.isDirectory(workdir)) {
      throw new IOException("its work folder " + workdir + " does not exist on this host");
    }
    Path real = Files.isDirectory(workdir) ? workdir.toRealPath() : workdir;
    Path own = data.toRealPath();
    if (!within(real, real(roots)) || real.startsWith(own) || own.startsWith(real)) {
      throw new IOException(
          "workdir is %s, and containers of this host are given folders below %s alone: see %s"
              .formatted(workdir, roots.isEmpty() ? "none" : roots, KEY));
    }
    return real;
  }

  private static boolean within(Path folder, List<Path> roots) {
    return roots.stream().anyMatch(folder::startsWith);
  }

  private static List<Path> real(List<Path> roots) throws IOException {
    List<Path> real = new ArrayList<>();
    for (Path root : roots) {
      if (Files.isDirectory(root)) {
        real.add(root.toRealPath());
      }
    }
    return real;
  }
}
