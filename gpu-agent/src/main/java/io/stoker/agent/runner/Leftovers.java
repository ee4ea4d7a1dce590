package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Clears away what an earlier agent left and the journal does not know. */
final class Leftovers {
  private static final int ROUNDS = 50;

  private final ProcessScan scan;
  private final RunFolders folders;

  Leftovers(ProcessScan scan, RunFolders folders) {
    this.scan = scan;
    this.folders = folders;
  }

  /** Kills the processes of runs that are not known, and deletes their folders. */
  void clear(Set<AttemptKey> known) throws IOException {
    Set<String> names = known.stream().map(AttemptKey::toString).collect(Collectors.toSet());
    boolean left = true;
    for (int i = 0; i < ROUNDS && left; i++) {
      left = killOthers(scan.scan(), names);
    }
    for (String name : folders.names()) {
      if (!names.contains(name)) {
        folders.remove(name);
      }
    }
  }

  private static boolean killOthers(Map<String, Set<Long>> marked, Set<String> names) {
    boolean any = false;
    for (Map.Entry<String, Set<Long>> run : marked.entrySet()) {
      if (!names.contains(run.getKey())) {
        any = true;
        run.getValue()
            .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
      }
    }
    return any;
  }
}
