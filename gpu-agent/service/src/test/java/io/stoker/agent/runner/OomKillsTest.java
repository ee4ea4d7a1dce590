package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.RunEnd;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OomKillsTest {
  private static final String V2 = "0::/system.slice/stoker-agent.service\n";
  private static final String V1 = "5:cpu,memory:/jobs\n3:cpuset:/\n";
  private static final String EVENTS = "low 0\nhigh 0\nmax 9\noom 4\noom_kill %d\n";
  private static final String CONTROL = "oom_kill_disable 0\nunder_oom 0\noom_kill %d\n";
  private static final String VMSTAT = "nr_free_pages 7\noom_kill %d\ncompact_stall 3\n";

  @TempDir Path root;
  private long now;

  @ParameterizedTest
  @CsvSource({
    "v2, sys/fs/cgroup/system.slice/stoker-agent.service/memory.events",
    "v2, sys/fs/cgroup/unified/system.slice/stoker-agent.service/memory.events",
    "v1, sys/fs/cgroup/memory/jobs/memory.oom_control",
    "none, proc/vmstat",
  })
  void readsTheNearestCountThatThereIs(String version, String file) throws IOException {
    write("proc/vmstat", VMSTAT.formatted(100));
    if (!version.equals("none")) {
      write("proc/self/cgroup", version.equals("v2") ? V2 : V1);
    }
    String text = file.endsWith("events") ? EVENTS : file.endsWith("vmstat") ? VMSTAT : CONTROL;
    write(file, text.formatted(3));
    OomKills kills = OomKills.in(root, () -> now);
    long before = kills.before();
    write(file, text.formatted(5));

    RunEnd end = kills.explained(RunEnd.exit(137), before);

    assertThat(before).isEqualTo(3);
    assertThat(end.category()).contains(FailureCategory.HOST_OOM);
    assertThat(end.note().orElseThrow()).contains("2 time(s)");
  }

  @ParameterizedTest
  @CsvSource({
    // exit code, what its output gave away, count before and after, what it was
    "137, , 3, 3, ",
    "137, , 3, 2, ",
    "137, GPU_OOM, 3, 4, GPU_OOM",
    "1, , 3, 4, ",
    "0, , 3, 4, ",
    "137, , 3, 4, HOST_OOM",
  })
  void onlyAKillWhileTheCountRoseWasForWantOfMemory(
      int code, FailureCategory told, long before, long after, FailureCategory was)
      throws IOException {
    write("proc/vmstat", VMSTAT.formatted(after));
    RunEnd plain =
        new RunEnd(
            OptionalInt.of(code),
            Optional.empty(),
            Optional.empty(),
            Optional.ofNullable(told),
            Optional.of("its last line"));

    RunEnd end = OomKills.in(root, () -> now).explained(plain, before);

    assertThat(end.category()).isEqualTo(Optional.ofNullable(was));
    assertThat(end.equals(plain)).isEqualTo(was != FailureCategory.HOST_OOM);
  }

  @Test
  void aCountServesForASecond() throws IOException {
    write("proc/vmstat", VMSTAT.formatted(3));
    OomKills kills = OomKills.in(root, () -> now);
    write("proc/vmstat", VMSTAT.formatted(4));

    assertThat(kills.before()).isEqualTo(3);
    now += 1_000_000_001L;
    assertThat(kills.before()).isEqualTo(4);
  }

  @Test
  void aMachineThatDoesNotCountExplainsNothing() {
    RunEnd end = RunEnd.exit(137);

    assertThat(OomKills.in(root, () -> now).explained(end, 0)).isEqualTo(end);
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
