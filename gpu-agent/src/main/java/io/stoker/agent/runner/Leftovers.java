package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Clears away what an earlier agent left and the journal does not know. */
final class Leftovers {
  private static final int ROUNDS = 50;

  private final ProcessScan scan;
  private final RunFolders folders;
  private final GroupedRuns groups;

  Leftovers(ProcessScan scan, RunFolders folders, GroupedRuns groups) {
    this.groups = groups;
    this.scan = scan;
    this.folders = folders;
  }

  /** A run of which the broker may not have all that it wrote, and whose output that is. */
  record Owing(AttemptKey key, String request) {}

  /**
   * Kills the processes of runs that are not known, and deletes their folders.
   *
   * @return those whose folders are left, since something of them is owed
   */
  List<Owing> clear(Set<AttemptKey> known) throws IOException {
    Set<String> names = known.stream().map(AttemptKey::toString).collect(Collectors.toSet());
    boolean left = true;
    for (int i = 0; i < ROUNDS && left; i++) {
      left = killOthers(names) | killGroups(names);
    }
    List<Owing> owing = new ArrayList<>();
    for (String name : folders.names()) {
      if (!names.contains(name)) {
        Optional<Owing> debt = folders.owed(name).flatMap(request -> owing(name, request));
        if (debt.isPresent()) {
          owing.add(debt.get());
        } else {
          folders.remove(name);
        }
      }
    }
    return owing;
  }

  private static Optional<Owing> owing(String name, String request) {
    return AttemptKey.parse(name).map(key -> new Owing(key, request));
  }

  private boolean killGroups(Set<String> names) {
    boolean any = false;
    for (String run : groups.others(names)) {
      any |= !groups.processes(run).isEmpty();
      groups.kill(run);
      groups.processes(run).forEach(Leftovers::kill);
      groups.remove(run);
    }
    return any;
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  private boolean killOthers(Set<String> names) {
    Set<Long> others = scan.scan().ofOthersThan(names);
    others.forEach(Leftovers::kill);
    return !others.isEmpty();
  }
}
