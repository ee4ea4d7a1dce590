package io.stoker.agent.runner;

import io.stoker.agent.spawn.OwnProcess;
import java.util.Set;

/** Ends what is left of a run: SIGTERM once to each process, after the grace SIGKILL to all. */
final class TreeKiller {
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
    String name = run.key.toString();
    Set<Long> left = found.of(name);
    left.addAll(groups.processes(name));
    run.process.ifPresent(
        first -> {
          if (first.alive()) {
            left.add(first.pid());
          }
          if (!reused(first)) {
            left.addAll(ProcessScan.inSession(first.pid()));
          }
        });
    boolean forcibly = now - run.killAt.orElseThrow() >= 0;
    if (forcibly) {
      groups.kill(name);
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

  /** A session's id stays taken while anything is in it; a later process may get it after that. */
  private static boolean reused(OwnProcess first) {
    return OwnProcess.stat(first.pid())
        .map(now -> now.startTicks() != first.startTicks())
        .orElse(false);
  }
}
