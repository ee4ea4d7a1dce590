package io.stoker.agent.runner;

import io.stoker.agent.spawn.OwnProcess;
import java.io.UncheckedIOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jboss.logging.Logger;

/**
 * Ends what is left of a run: SIGTERM once to each process, after the grace SIGKILL to all. Parents
 * are told before their children: a shell that waits for a child must not see that one's end, and
 * go on, before it hears that it is to end itself.
 */
final class TreeKiller {
  private static final Logger LOG = Logger.getLogger(TreeKiller.class);

  private TreeKiller() {}

  /**
   * One round.
   *
   * @param found from a scan made just before
   * @param groups who is in the run's group goes, too
   * @param now ns
   * @return whether anything was left, or may have been
   */
  static boolean round(Run run, RunProcesses found, GroupedRuns groups, long now) {
    boolean forcibly = now - run.killAt.orElseThrow() >= 0;
    if (forcibly) {
      groups.kill(run.key.toString());
    }
    Set<Long> left;
    try {
      left = left(run, found, groups);
    } catch (UncheckedIOException e) {
      LOG.warnf("what is left of run %s is not known, trying again: %s", run.key, e.getMessage());
      return true;
    }
    for (long pid : left) {
      ProcessHandle.of(pid)
          .ifPresent(
              handle -> {
                if (forcibly) {
                  handle.destroyForcibly();
                } else if (run.terminated.add(pid)) {
                  handle.destroy();
                }
              });
    }
    return !left.isEmpty() || !found.complete();
  }

  /** The first process before all others, which come by their pids: as they were started. */
  static Set<Long> left(Run run, RunProcesses found, GroupedRuns groups) {
    Set<Long> others = new TreeSet<>(found.of(run.key.toString()));
    others.addAll(groups.processes(run.key.toString()));
    Set<Long> left = new LinkedHashSet<>();
    run.process.ifPresent(
        first -> {
          if (first.alive()) {
            left.add(first.pid());
          }
          Set<Long> session = ProcessScan.inSession(first.pid());
          if (!reused(first)) { // asked after, so that it holds for those who were found
            others.addAll(session);
          }
        });
    left.addAll(others);
    return left;
  }

  /** A session's id stays taken while anything is in it; a later process may get it after that. */
  private static boolean reused(OwnProcess first) {
    return OwnProcess.stat(first.pid())
        .map(now -> now.startTicks() != first.startTicks())
        .orElse(false);
  }
}
