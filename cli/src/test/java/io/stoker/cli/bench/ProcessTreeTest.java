package io.stoker.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessTreeTest {
  @Test
  void countsUserAndSystemTimeOfAProcessAndItsEndedChildren() {
    String stat =
        "42 (a) b (c) S 1 42 42 0 -1 4194560 500 600 0 0 10 20 300 4000 20 0 1 0 99 1 2 3";

    assertThat(ProcessTree.ticks(stat)).isEqualTo(10 + 20 + 300 + 4000);
  }

  @Test
  void readsAFieldOfMemory() {
    assertThat(ProcessTree.kibibytes("Rss:  9 kB\nPss:             1234 kB\n", "Pss:"))
        .contains(1234L);
    assertThat(ProcessTree.kibibytes("Rss:  9 kB\n", "Pss:")).isEmpty();
  }

  @Test
  void measuresThisProcess() {
    ProcessTree tree = new ProcessTree(Path.of("/proc"));
    List<Long> self = List.of(ProcessHandle.current().pid());

    assertThat(tree.cpuSeconds(self)).isPositive();
    assertThat(tree.memory(self)).isGreaterThan(10 << 20);
  }

  @Test
  void whatEndedTakesNothing() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();

    assertThat(new ProcessTree(Path.of("/proc")).cpuSeconds(List.of(ended.pid()))).isZero();
  }
}
