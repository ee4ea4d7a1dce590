package io.stoker.agent.runner;

import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunUsage;
import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.cgroup.RunGroups;
import io.stoker.agent.spawn.Failure;
import io.stoker.agent.spawn.Order;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Starts runs into control groups where there are any, and says at their end what these knew. A run
 * whose group cannot be made is started without: its session and its mark find it.
 *
 * <p>Touched by the runner's thread alone.
 */
record GroupedRuns(RunGroups groups, GroupRules rules) {
  private static final Logger LOG = Logger.getLogger(GroupedRuns.class);
  private static final String SHELL = "/bin/sh";

  /**
   * The shell enters the group, then becomes the job: who it starts is in it from the beginning.
   */
  private static final String ENTER = "{ echo $$ >\"$1\"; } 2>/dev/null; shift; exec \"$@\"";

  /** The same order, carried out in a group of its own. */
  Order order(RunSpec spec, Order own) {
    if (!groups.any()) {
      return own;
    }
    try {
      Optional<Path> entry = groups.make(own.run(), rules.limit(spec.program().memory()));
      return entry.map(file -> into(file, own)).orElse(own);
    } catch (IOException e) {
      LOG.warnf("%s runs without a control group: %s", own.run(), e.getMessage());
      return own;
    }
  }

  static Order into(Path processes, Order own) {
    return own.behind(
        SHELL, List.of(SHELL, "-c", ENTER, Failure.MARK + "in its group", processes.toString()));
  }

  /** Who is in that of a run. */
  Set<Long> processes(String run) {
    return groups.processes(run);
  }

  /** Ends all who are in it, at once. */
  void kill(String run) {
    groups.kill(run);
  }

  /** Runs that have a group and are none of these. */
  List<String> others(Set<String> known) {
    return groups.others(known);
  }

  /** Nobody is in it any more. */
  void remove(String run) {
    groups.remove(run);
  }

  /**
   * The end of a run, with what its group knew of it, which is removed.
   *
   * @param otherwise how the same is found out of a run whose group knows nothing of memory
   */
  RunEnd ended(Run run, RunEnd end, OomKills otherwise) {
    String name = run.key.toString();
    Optional<RunGroups.Account> account = groups.account(name);
    groups.remove(name);
    OptionalLong kills = account.map(RunGroups.Account::oomKills).orElseGet(OptionalLong::empty);
    RunEnd told = account.map(known -> end.took(Optional.of(usage(end, known)))).orElse(end);
    return kills.isPresent()
        ? explained(run, told, kills.getAsLong())
        : otherwise.explained(told, run.oomKills);
  }

  private static RunUsage usage(RunEnd end, RunGroups.Account account) {
    OptionalLong resident = end.usage().map(RunUsage::memory).orElseGet(OptionalLong::empty);
    return new RunUsage(
        Math.max(end.usage().map(RunUsage::cpuMs).orElse(0L), account.cpuMs()),
        account.peakMemory().isPresent()
            ? OptionalLong.of(Math.max(resident.orElse(0), account.peakMemory().getAsLong()))
            : resident);
  }

  private RunEnd explained(Run run, RunEnd end, long kills) {
    if (kills == 0 || end.exitCode().orElse(0) == 0 || end.category().isPresent()) {
      return end;
    }
    OptionalLong limit = rules.limit(run.spec.program().memory());
    String limited =
        limit.isPresent() ? ", which may take %d bytes".formatted(limit.getAsLong()) : "";
    return end.because(
        FailureCategory.HOST_OOM,
        "the kernel has killed %d process(es) of this job for want of memory%s"
            .formatted(kills, limited));
  }
}
