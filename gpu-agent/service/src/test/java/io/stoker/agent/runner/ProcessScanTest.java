package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a busy machine processes come and go between a list of them and a look at each. */
class ProcessScanTest {
  private static final String RUN = "job-1";

  private Process living;
  private long gone;

  @BeforeEach
  void start() throws Exception {
    living = sleep();
    Process ended = sleep();
    gone = ended.pid();
    ended.destroyForcibly();
    assertThat(ended.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  private static Process sleep() throws IOException {
    ProcessBuilder sleep = new ProcessBuilder("sleep", "1000");
    sleep.environment().put(JobEnvironment.MARKER, RunnerFixture.OWNER + "/" + RUN);
    return sleep.start();
  }

  @AfterEach
  void stop() {
    living.destroyForcibly();
  }

  @Test
  void whoLivesIsFoundAlthoughOthersGoAwayAtEachLook() {
    RunProcesses found =
        new ProcessScan(RunnerFixture.OWNER, () -> List.of(gone, living.pid())).scan();

    assertThat(found.of(RUN)).containsExactly(living.pid());
    assertThat(found.complete()).isFalse();
  }

  @Test
  void whoMayHaveLeftSomebodyBehindIsLookedForAgain() {
    int[] lists = {0};
    ProcessScan scan =
        new ProcessScan(
            RunnerFixture.OWNER, () -> lists[0]++ == 0 ? List.of(gone) : List.of(living.pid()));

    RunProcesses found = scan.scan();

    assertThat(found.of(RUN)).containsExactly(living.pid());
    assertThat(found.complete()).isTrue();
  }

  @Test
  void whoHasNoFileDescriptorLeftTakesNobodyForGone() throws Exception {
    Process looking =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n 400; exec \"$@\"",
                "sh",
                System.getProperty("java.home") + "/bin/java",
                "-XX:-MaxFDLimit",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OutOfDescriptors.class.getName(),
                Long.toString(living.pid()),
                Long.toString(gone))
            .redirectErrorStream(true)
            .start();

    String said = new String(looking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(said.strip())
        .endsWith("living unreadable, gone gone, scan not whole, children unreadable");
  }
}
