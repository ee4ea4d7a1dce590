package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.Started;
import io.stoker.agent.cgroup.GroupFolder;
import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.cgroup.OwnGroup;
import io.stoker.agent.cgroup.RunGroups;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's own groups, where this process may make some; else it is skipped, and says why. */
@Timeout(300)
class RealGroupsTest {
  private static final String OWNER = "real-" + ProcessHandle.current().pid();

  private static final long PROMISED = 32L << 20;

  @TempDir Path data;
  private Optional<Path> own;
  private RunnerFixture host;

  @BeforeEach
  void start() throws IOException {
    own = OwnGroup.find(Path.of("/proc"));
    assumeTrue(own.isPresent(), "there is no cgroup v2 that this process can see");
    RunGroups groups = RunGroups.below(new GroupFolder(own.get()), OWNER, true);
    assumeTrue(groups.any(), groups.state());
    host = RunnerFixture.unstarted(data);
    host.groups = groups;
    host.groupRules = new GroupRules(GroupRules.Mode.ON, own, GroupRules.MemoryMax.PROMISED, 0);
    host.startRunner();
  }

  @AfterEach
  void stop() throws IOException {
    if (host != null) {
      host.close();
      Path all = host.groups.folder().orElseThrow();
      // Who was killed last may be on the way out.
      await().until(() -> new GroupFolder(all).remove(""));
    }
  }

  @Test
  void whoHidesFromEverythingElseEndsWithItsJob() throws Exception {
    Path escaped = data.resolve("escaped");
    AttemptKey key =
        host.sh(
            "job",
            "env -i setsid sh -c 'echo $$ >%s; trap \"\" TERM; while :; do sleep 1; done' & while [ ! -s %s ]; do sleep 0.05; done"
                .formatted(escaped, escaped));
    assertThat(host.next(Exited.class).key()).isEqualTo(key);
    long pid = Long.parseLong(Files.readString(escaped).strip());
    assertThat(OwnProcess.of(pid).alive()).isFalse();
    assertThat(host.groups.processes("job-1")).isEmpty();
  }

  @Test
  void aKilledJobLeavesNobodyAndIsCounted() throws Exception {
    AttemptKey key =
        host.sh("job", "trap '' TERM; (env -i setsid sleep 300) & while :; do :; done");
    Started started = host.next(Started.class);
    await().until(() -> host.groups.processes("job-1").size() >= 2);
    assertThat(host.groups.processes("job-1")).contains(started.process().pid());
    host.runner.kill(key, 200);
    Exited exited = host.next(Exited.class);
    assertThat(exited.end().exitCode()).hasValue(128 + 9);
    assertThat(exited.end().usage().orElseThrow().cpuMs()).isPositive();
    assertThat(host.groups.processes("job-1")).isEmpty();
  }

  @Test
  void aJobThatTakesMoreThanItMayIsOutOfMemory() throws Exception {
    assumeTrue(host.groups.memory(), host.groups.state());
    host.launch(
        RunnerFixture.of("job", "sh", "-c", "x=a; while :; do x=$x$x; done")
            .memory(PROMISED)
            .build());
    Exited exited = host.next(Exited.class);
    assertThat(exited.end().category()).hasValue(FailureCategory.HOST_OOM);
    assertThat(exited.end().usage().orElseThrow().memory().orElseThrow())
        .isLessThanOrEqualTo(PROMISED);
  }
}
