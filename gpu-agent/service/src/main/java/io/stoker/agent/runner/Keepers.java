package io.stoker.agent.runner;

import io.stoker.agent.spawn.KeeperMain;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.spawn.ProcStat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The {@linkplain KeeperMain keepers} of spawners that are gone, or going: each is ended once it
 * keeps nobody who lives, and no exit code that is still to be read. What they kept goes to the
 * next process up, which forgets it.
 */
final class Keepers {
  private final Path folder;

  /**
   * @param data the agent's data folder, absolute
   */
  Keepers(Path data) {
    this.folder = data.resolve(KeeperMain.FOLDER);
  }

  /**
   * Ends those that are not needed any more.
   *
   * @param current the one that stays in any case
   * @param awaited pids whose exit codes are still to be read
   * @return whether others than the current one are left
   */
  boolean sweep(long current, Set<Long> awaited) throws IOException {
    boolean left = false;
    for (Path file : files()) {
      OwnProcess keeper = OwnProcess.read(file).orElse(new OwnProcess(0, 0));
      if (keeper.pid() == current) {
        continue;
      }
      if (keeper.alive() && needed(keeper.pid(), awaited)) {
        left = true;
      } else {
        keeper.kill();
        Files.deleteIfExists(file);
      }
    }
    return left;
  }

  private static boolean needed(long keeper, Set<Long> awaited) {
    Map<Long, ProcStat> children = ProcessScan.children(keeper);
    return children.entrySet().stream()
        .anyMatch(child -> !child.getValue().zombie() || awaited.contains(child.getKey()));
  }

  private List<Path> files() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> found = Files.list(folder)) {
      return found.filter(file -> !file.toString().endsWith(".new")).toList();
    }
  }
}
