package io.stoker.agent.runner;

import static org.awaitility.Awaitility.await;

import io.stoker.agent.spawn.KeeperMain;
import io.stoker.agent.spawn.OwnProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** The processes beside an agent, by its data folder. */
final class Spawners {
  private Spawners() {}

  static List<OwnProcess> keepers(Path data) throws IOException {
    List<OwnProcess> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(data.resolve(KeeperMain.FOLDER))) {
      for (Path file : files.toList()) {
        OwnProcess.read(file).ifPresent(found::add);
      }
    }
    return found;
  }

  /**
   * The spawner under the only keeper, once it is there: found twice in a row, for while the keeper
   * becomes another program its children may be seen, and not be seen.
   */
  static OwnProcess only(Path data) throws IOException {
    long keeper = keepers(data).getFirst().pid();
    AtomicReference<Set<Long>> before = new AtomicReference<>(Set.of());
    await()
        .until(
            () -> {
              Set<Long> now = ProcessScan.children(keeper).keySet();
              return now.size() == 1 && now.equals(before.getAndSet(now));
            });
    return OwnProcess.of(before.get().iterator().next());
  }
}
