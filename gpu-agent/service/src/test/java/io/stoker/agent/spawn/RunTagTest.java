package io.stoker.agent.spawn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RunTagTest {
  @Test
  void has19DigitsOfWhichTheFirst7TellTheOwner() {
    for (int i = 0; i < 1_000; i++) {
      String owner = "owner-" + i;
      long tag = RunTag.of(owner, "job-1");
      assertThat(Long.toString(tag)).hasSize(19).startsWith(Long.toString(RunTag.ownerOf(owner)));
      assertThat(RunTag.isOf(tag, owner)).isTrue();
      assertThat(RunTag.isOf(tag, "another")).isFalse();
    }
  }

  @Test
  void differsFromRunToRun() {
    Set<Long> tags = new HashSet<>();
    for (int i = 0; i < 100_000; i++) {
      tags.add(RunTag.of("owner", "job-" + i));
    }
    assertThat(tags).hasSize(100_000);
  }

  @Test
  void whoWasStartedWithoutOneHasNone() throws Exception {
    assertThat(RunTag.read(ProcessHandle.current().pid())).isEmpty();
  }

  @Test
  void whoIsStartedWhileItIsSetHasItAndItsStarterAfterwardsNot() throws Exception {
    RunTag.Own own = new RunTag.Own();
    long tag = RunTag.of("owner", "job-1");
    own.set(tag);
    Process process = new ProcessBuilder("setsid", "env", "-i", "sleep", "1000").start();
    own.reset();
    try {
      assertThat(RunTag.read(process.pid())).hasValue(tag);
      assertThat(RunTag.read(ProcessHandle.current().pid())).isEmpty();
    } finally {
      process.destroyForcibly();
    }
  }
}
