package io.stoker.agent.cgroup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a plain folder: what is written where, and what is made of what is there. */
class RunGroupsTest {
  private static final String RUN = "stoker-me/job-1";

  @TempDir Path root;

  private StandInGroups kernel(String controllers) throws IOException {
    return new StandInGroups(root, controllers);
  }

  private static RunGroups groups(GroupFiles files) {
    return RunGroups.below(files, "me", false);
  }

  @Test
  void theMemoryControllerIsHandedDownToTheRuns() throws Exception {
    StandInGroups kernel = kernel("cpu memory pids");
    RunGroups groups = groups(kernel);
    assertThat(groups.any()).isTrue();
    assertThat(groups.memory()).isTrue();
    assertThat(groups.state()).contains(root.toString()).contains("with memory");
    assertThat(kernel.read("stoker-me", "cgroup.subtree_control")).hasValue("memory");
    assertThat(groups.folder().orElseThrow()).isEqualTo(root.resolve("stoker-me"));
  }

  @Test
  void whereMemoryIsNotAccountedForThereAreNoneUnlessTheyAreWanted() throws Exception {
    StandInGroups kernel = kernel("hugetlb");
    RunGroups none = groups(kernel);
    assertThat(none.any()).isFalse();
    assertThat(none.state()).contains("no memory controller").contains(root.toString());
    assertThat(root.resolve("stoker-me")).doesNotExist();

    RunGroups wanted = RunGroups.below(kernel, "me", true);
    assertThat(wanted.any()).isTrue();
    assertThat(wanted.memory()).isFalse();
    assertThat(wanted.state()).contains("without memory");
    assertThat(wanted.make("job-1", OptionalLong.of(5)))
        .hasValue(root.resolve(RUN + "/cgroup.procs"));
    assertThat(kernel.read(RUN, "memory.max")).hasValue("max\n");
  }

  @Test
  void itIsSaidWhyNothingCanBeHad() throws Exception {
    assertThat(groups(new GroupFolder(root)).state()).contains("no group of cgroup v2");
    GroupFiles busy =
        new GroupFolder(root) {
          @Override
          public void write(String group, String file, String text) throws IOException {
            throw new IOException("Device or resource busy");
          }
        };
    kernel("memory");
    assertThat(groups(busy).state())
        .contains("Device or resource busy")
        .contains("processes of its own");
    GroupFiles closed =
        new GroupFolder(root) {
          @Override
          public void make(String group) throws IOException {
            throw new IOException("Permission denied");
          }
        };
    assertThat(RunGroups.below(closed, "me", true).state())
        .isEqualTo("no group can be made in " + root + ": Permission denied");
  }

  @Test
  void withoutGroupsNothingHappens() throws Exception {
    RunGroups none = RunGroups.none("why");
    assertThat(none.make("job-1", OptionalLong.of(1))).isEmpty();
    none.kill("job-1");
    none.remove("job-1");
    assertThat(none.processes("job-1")).isEmpty();
    assertThat(none.account("job-1")).isEmpty();
    assertThat(none.others(List.of())).isEmpty();
    assertThat(none.folder()).isEmpty();
    assertThat(none.state()).isEqualTo("why");
  }

  @Test
  void aRunIsLimitedKilledAndCountedByItsGroup() throws Exception {
    StandInGroups kernel = kernel("memory");
    RunGroups groups = groups(kernel);
    Path entry = groups.make("job-1", OptionalLong.of(1 << 20)).orElseThrow();
    assertThat(kernel.read(RUN, "memory.max")).hasValue("1048576");
    long self = ProcessHandle.current().pid();
    Files.writeString(entry, self + "\n");
    kernel.make(RUN + "/its-own");
    kernel.set(RUN + "/its-own", "cgroup.procs", self + "\n");
    assertThat(groups.processes("job-1")).containsExactly(self);
    groups.kill("job-1");
    assertThat(kernel.read(RUN, "cgroup.kill")).hasValue("1");
    kernel.set(RUN, "cpu.stat", "usage_usec 2500000\nuser_usec 2000000\n");
    kernel.set(RUN, "memory.peak", "9000\n");
    kernel.set(RUN, "memory.current", "2000\n");
    kernel.set(RUN, "memory.events", "oom 4\noom_kill 3\noom_group_kill 0\n");
    assertThat(groups.account("job-1"))
        .hasValue(new RunGroups.Account(2_500, OptionalLong.of(7_000), OptionalLong.of(3)));
  }

  @Test
  void anOldKernelThatTellsNoPeakIsBelievedTheRest() throws Exception {
    StandInGroups kernel = kernel("memory");
    RunGroups groups = groups(kernel);
    groups.make("job-1", OptionalLong.empty());
    assertThat(kernel.read(RUN, "memory.max")).hasValue("max\n");
    Files.delete(root.resolve(RUN + "/memory.peak"));
    assertThat(groups.account("job-1"))
        .hasValue(new RunGroups.Account(0, OptionalLong.empty(), OptionalLong.of(0)));
  }

  @Test
  void whatCannotBeRemovedYetIsRemovedLater() throws Exception {
    StandInGroups kernel = kernel("memory");
    RunGroups groups = groups(kernel);
    groups.make("job-1", OptionalLong.empty());
    groups.make("job-2", OptionalLong.empty());
    kernel.make(RUN + "/its-own");
    kernel.set(RUN + "/its-own", "cgroup.procs", ProcessHandle.current().pid() + "\n");
    groups.remove("job-1");
    assertThat(root.resolve(RUN)).exists();
    kernel.set(RUN + "/its-own", "cgroup.procs", "");
    groups.remove("job-2");
    assertThat(kernel.below("stoker-me")).isEmpty();
  }

  @Test
  void groupsOfOtherRunsAreFoundAndThoseOfOtherAgentsAreNot() throws Exception {
    StandInGroups kernel = kernel("memory");
    RunGroups before = groups(kernel);
    before.make("job-1", OptionalLong.empty());
    before.make("job-2", OptionalLong.empty());
    RunGroups.below(kernel, "other", false).make("job-3", OptionalLong.empty());
    RunGroups after = groups(kernel);
    assertThat(after.others(List.of("job-2"))).containsExactly("job-1");
    after.remove("job-1");
    assertThat(after.others(List.of("job-2"))).isEmpty();
  }

  @Test
  void theOwnGroupIsFoundWhereverTheHierarchyIs() throws Exception {
    Path proc = Files.createDirectories(root.resolve("proc"));
    Path self = Files.createDirectories(proc.resolve("self"));
    assertThat(OwnGroup.find(proc)).isEmpty();
    Files.writeString(
        self.resolve("mounts"),
        "proc /proc proc rw 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
            + "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n");
    Files.writeString(self.resolve("cgroup"), "4:memory:/a\n0::/b/c\n");
    assertThat(OwnGroup.find(proc)).hasValue(Path.of("/sys/fs/cgroup/unified/b/c"));
    Files.writeString(self.resolve("cgroup"), "0::/unit.service/stoker-agent\n");
    assertThat(OwnGroup.find(proc)).hasValue(Path.of("/sys/fs/cgroup/unified/unit.service"));
    Files.writeString(self.resolve("cgroup"), "0::/\n");
    assertThat(OwnGroup.find(proc)).hasValue(Path.of("/sys/fs/cgroup/unified"));
    Files.writeString(self.resolve("cgroup"), "0::/../outside\n");
    assertThat(OwnGroup.find(proc)).isEmpty();
    Files.writeString(self.resolve("cgroup"), "4:memory:/a\n");
    assertThat(OwnGroup.find(proc)).isEmpty();
  }

  @Test
  void rulesSayWhoHasGroupsAndHowMuchTheyMayTake() {
    GroupRules promised =
        new GroupRules(GroupRules.Mode.AUTO, Optional.of(root), GroupRules.MemoryMax.PROMISED, 0.1);
    assertThat(promised.limit(OptionalLong.of(1_000))).hasValue(1_100);
    assertThat(promised.limit(OptionalLong.empty())).isEmpty();
    assertThat(GroupRules.OFF.limit(OptionalLong.of(1_000))).isEmpty();
    assertThat(GroupRules.OFF.open("me", root).state()).contains("stoker.agent.cgroups.mode");
    assertThat(promised.open("me", root).state()).contains("no group of cgroup v2");
  }
}
