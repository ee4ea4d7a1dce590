package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.Started;
import io.stoker.agent.attempt.RunUsage;
import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.cgroup.RunGroups;
import io.stoker.agent.cgroup.StandInGroups;
import io.stoker.agent.device.CpuSet;
import io.stoker.agent.spawn.Order;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, in groups that a plain folder stands in for. */
@Timeout(300)
class GroupedRunsTest {
  @TempDir Path data;
  @TempDir Path root;
  private StandInGroups kernel;
  private RunnerFixture host;

  @BeforeEach
  void start() throws IOException {
    kernel = new StandInGroups(root, "memory");
    host = RunnerFixture.unstarted(data);
    startAgent();
  }

  private void startAgent() throws IOException {
    host.groups = RunGroups.below(kernel, RunnerFixture.OWNER, false);
    host.groupRules =
        new GroupRules(GroupRules.Mode.AUTO, Optional.of(root), GroupRules.MemoryMax.PROMISED, 0.5);
    host.startRunner();
  }

  @AfterEach
  void stop() {
    host.close();
  }

  private String group(String run) {
    return "stoker-" + RunnerFixture.OWNER + "/" + run;
  }

  @Test
  void theJobItselfIsTheFirstInItsGroupAndTheGroupGoesWithIt() throws Exception {
    Path end = data.resolve("end");
    host.sh("job", "echo in; while [ ! -e %s ]; do sleep 0.05; done; exit 3".formatted(end));
    long pid = host.next(Started.class).process().pid();
    await().until(() -> kernel.read(group("job-1"), "cgroup.procs").orElse("").equals("" + pid));
    await().until(() -> host.output().equals("in\n"));
    kernel.set(group("job-1"), "cpu.stat", "usage_usec 7000000000\n");
    kernel.set(group("job-1"), "memory.peak", Long.toString(1L << 40));
    Files.createFile(end);
    Exited exited = host.next(Exited.class);
    assertThat(exited.end().exitCode()).hasValue(3);
    assertThat(exited.end().category()).isEmpty();
    RunUsage usage = exited.end().usage().orElseThrow();
    assertThat(usage.cpuMs()).isEqualTo(7_000_000);
    assertThat(usage.memory()).hasValue(1L << 40);
    assertThat(root.resolve(group("job-1"))).doesNotExist();
  }

  @Test
  void aJobInAGroup_runsOnTheProcessorsThatItIsGiven() {
    Order own =
        new Order("job-1", "/bin/true", "/", false, List.of("true"), List.of(), CpuSet.parse("1"));
    assertThat(GroupedRuns.into(root.resolve("cgroup.procs"), own).cpus()).isEqualTo(own.cpus());
  }

  @Test
  void aKillForWantOfMemoryIsToldByTheGroupAlsoIfTheJobEndsByItself() throws Exception {
    Path end = data.resolve("end");
    String wait = "while [ ! -e %s ]; do sleep 0.05; done; exit ".formatted(end);
    host.sh("fails", wait + 1);
    host.next(Started.class);
    await().until(() -> kernel.below("stoker-" + RunnerFixture.OWNER).contains("fails-1"));
    kernel.set(group("fails-1"), "memory.events", "oom_kill 2\n");
    Files.createFile(end);
    Exited failed = host.next(Exited.class);
    assertThat(failed.end().category()).hasValue(FailureCategory.HOST_OOM);
    assertThat(failed.end().note().orElseThrow()).contains("killed 2 process(es)");
  }

  @Test
  void whoeverIsInTheGroupEndsWithTheRunAlsoWithoutMarkAndSession() throws Exception {
    Path escaped = data.resolve("escaped");
    // The stand-in does not put children into their parent's group.
    String script =
        "env -i setsid sh -c 'echo $$ >>%s; echo $$ >%s; exec sleep 300' & while [ ! -s %s ]; do sleep 0.05; done"
            .formatted(root.resolve(group("job-1")).resolve("cgroup.procs"), escaped, escaped);
    AttemptKey key = host.sh("job", script);
    assertThat(host.next(Exited.class).key()).isEqualTo(key);
    long pid = Long.parseLong(Files.readString(escaped).strip());
    assertThat(OwnProcess.of(pid).alive()).isFalse();
    assertThat(root.resolve(group("job-1"))).doesNotExist();
  }

  @Test
  void whatAnEarlierAgentLeftInItsGroupsIsEnded() throws Exception {
    Process stray = new ProcessBuilder("sleep", "300").start();
    try {
      kernel.make(group("stray-1"));
      kernel.set(group("stray-1"), "cgroup.procs", stray.pid() + "\n");
      kernel.make(group("known-1"));
      host.runner.close();
      startAgent();
      host.runner.killStrangers(Set.of(new AttemptKey("known", 1)), Set.of());
      assertThat(stray.waitFor()).isEqualTo(128 + 9);
      await().until(() -> !Files.exists(root.resolve(group("stray-1"))));
      assertThat(root.resolve(group("known-1"))).exists();
    } finally {
      stray.destroyForcibly();
    }
  }

  @Test
  void aGroupThatCannotBeEnteredKeepsNoJobFromRunning() throws Exception {
    host.groups.remove("none");
    Files.createFile(root.resolve(group("job-1"))); // no folder can be made there
    host.sh("job", "exit 4");
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(4);
  }
}
