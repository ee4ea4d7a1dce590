package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Clears away what an earlier agent left and the journal does not know.
 *
 * @param data the agent's data folder, absolute
 */
record Leftovers(Path data, ProcessScan scan, RunFolders folders, GroupedRuns groups) {
  private static final Logger LOG = Logger.getLogger(Leftovers.class);
  private static final int ROUNDS = 50;

  /** A run of which the broker may not have all that it wrote, and whose output that is. */
  record Owing(AttemptKey key, String request) {}

  /**
   * What could not be ended.
   *
   * @param certain whether these are all
   */
  record Left(Set<Long> pids, boolean certain) {
    static final Left NOT_LOOKED = new Left(Set.of(), false);

    boolean none() {
      return certain && pids.isEmpty();
    }
  }

  /**
   * Ends the processes of runs that are not known, for a while.
   *
   * @param known names
   * @return those that are still there
   */
  Left end(Set<String> known) {
    Left left = Left.NOT_LOOKED;
    for (int i = 0; i < ROUNDS && !left.none(); i++) {
      RunProcesses found = scan.scan();
      Set<Long> pids = found.ofOthersThan(known);
      pids.addAll(scan.ofFolder(data, known));
      pids.addAll(inGroups(known));
      pids.forEach(Leftovers::kill);
      left = new Left(pids, found.complete());
    }
    return left;
  }

  /** Whether there is a folder of a run that is not known. */
  boolean anyFolder(Set<String> names) throws IOException {
    return !names.containsAll(folders.names());
  }

  /**
   * Deletes the folders of runs that are not known and of which no process is left.
   *
   * @param names known
   * @return those whose folders are left, since something of them is owed
   */
  List<Owing> clear(Set<String> names) throws IOException {
    List<Owing> owing = new ArrayList<>();
    for (String name : folders.names()) {
      if (!names.contains(name)) {
        try {
          clear(name).ifPresent(owing::add);
        } catch (IOException e) {
          LOG.warnf("a run that ended long ago leaves its folder: %s", e.getMessage());
        }
      }
    }
    return owing;
  }

  private Optional<Owing> clear(String name) throws IOException {
    Optional<Owing> debt = folders.owed(name).flatMap(request -> owing(name, request));
    if (debt.isEmpty()) {
      folders.remove(name);
    }
    return debt;
  }

  private static Optional<Owing> owing(String name, String request) {
    return AttemptKey.parse(name).map(key -> new Owing(key, request));
  }

  /** Those in control groups of others, which are killed; empty groups are removed. */
  private Set<Long> inGroups(Set<String> known) {
    Set<Long> found = new HashSet<>();
    for (String run : groups.others(known)) {
      found.addAll(groups.processes(run));
      groups.kill(run);
      groups.remove(run);
    }
    return found;
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }
}
