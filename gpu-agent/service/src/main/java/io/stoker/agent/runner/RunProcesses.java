package io.stoker.agent.runner;

import io.stoker.agent.spawn.RunTag;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The processes of an agent's runs, as a {@link ProcessScan} has found them. */
public final class RunProcesses {
  private final String owner;
  private final Map<String, Set<Long>> byName = new HashMap<>();
  private final Map<Long, Set<Long>> byTag = new HashMap<>();
  private boolean complete = true;

  RunProcesses(String owner) {
    this.owner = owner;
  }

  void marked(String run, long pid) {
    byName.computeIfAbsent(run, same -> new HashSet<>()).add(pid);
  }

  void tagged(long tag, long pid) {
    byTag.computeIfAbsent(tag, same -> new HashSet<>()).add(pid);
  }

  /** A process went away before it was looked at, or could not be looked at. */
  void missed() {
    complete = false;
  }

  /**
   * Whether all were looked at; else one that went away may have left a child that was not seen,
   * and who is not found may still be there.
   */
  boolean complete() {
    return complete;
  }

  /** The pids of a run. */
  public Set<Long> of(String run) {
    Set<Long> pids = new HashSet<>(byName.getOrDefault(run, Set.of()));
    pids.addAll(byTag.getOrDefault(RunTag.of(owner, run), Set.of()));
    return pids;
  }

  /** The pids of all runs but these. */
  Set<Long> ofOthersThan(Collection<String> runs) {
    Map<String, Set<Long>> marked = new HashMap<>(byName);
    Map<Long, Set<Long>> tagged = new HashMap<>(byTag);
    for (String run : runs) {
      marked.remove(run);
      tagged.remove(RunTag.of(owner, run));
    }
    Set<Long> pids = new HashSet<>();
    marked.values().forEach(pids::addAll);
    tagged.values().forEach(pids::addAll);
    return pids;
  }
}
