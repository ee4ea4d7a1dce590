package io.stoker.agent.runner;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.cgroup.RunGroups;
import io.stoker.agent.spawn.OwnProcess;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TreeKillerTest {
  private final GroupedRuns groups = new GroupedRuns(RunGroups.none("not wanted"), GroupRules.OFF);

  /** Else a shell's trap is not run if its child, for which it waits, ends just before. */
  @Test
  void theFirstProcessIsToldBeforeThoseThatItHasStarted() {
    Run run = new Run(RunSpec.of(aPlace("job").build()), null, false);
    long first = ProcessHandle.current().pid();
    run.process = Optional.of(OwnProcess.of(first));
    RunProcesses found = new RunProcesses("owner");
    // Around it in whatever order a set has them.
    LongStream.rangeClosed(first - 20, first + 20).forEach(pid -> found.marked("job-1", pid));

    assertThat(TreeKiller.left(run, found, groups)).hasSizeGreaterThan(40).first().isEqualTo(first);
  }
}
