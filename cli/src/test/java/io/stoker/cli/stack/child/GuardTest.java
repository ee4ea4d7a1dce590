package io.stoker.cli.stack.child;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The parent's death is played by closing the pipe that it alone holds. */
class GuardTest {
  private static final int SIGNAL_BASE = 128;
  private static final int SIGKILL = 9;
  private static final int SIGTERM = 15;

  /** However slowly a command ends, it is not killed. */
  private static final Duration LONG = Duration.ofSeconds(60);

  private Process process;

  @AfterEach
  void leaveNothing() {
    process.destroyForcibly();
  }

  @Test
  void isTheCommandItselfWithItsOwnExitCode() throws Exception {
    start("echo $$; exit 7", LONG);

    try (BufferedReader out = process.inputReader()) {
      assertThat(out.readLine()).isEqualTo(Long.toString(process.pid()));
    }
    assertThat(exitCode()).isEqualTo(7);
  }

  @Test
  void keepsThePipeFromTheCommand() throws Exception {
    start("read -r line; echo \"read ended\"; exec 3<&0; exec sleep 600", LONG);

    try (BufferedReader out = process.inputReader()) {
      assertThat(out.readLine()).isEqualTo("read ended");
    }
    assertThat(process.isAlive()).isTrue();
  }

  @Test
  void endsTheCommandWhenItsParentDies() throws Exception {
    startAndAwaitReady("", LONG);

    parentDies();

    assertThat(exitCode()).isEqualTo(SIGNAL_BASE + SIGTERM);
  }

  @Test
  void killsACommandThatWillNotEnd() throws Exception {
    startAndAwaitReady("trap '' TERM;", Duration.ofSeconds(1));

    parentDies();

    assertThat(exitCode()).isEqualTo(SIGNAL_BASE + SIGKILL);
  }

  @Test
  void endsAStoppedCommand() throws Exception {
    startAndAwaitReady("", LONG);
    Signals.send("STOP", process.pid());

    parentDies();

    assertThat(exitCode()).isEqualTo(SIGNAL_BASE + SIGTERM);
  }

  private void startAndAwaitReady(String before, Duration grace) throws IOException {
    start(before + " echo ready; while :; do sleep 0.2; done", grace);
    assertThat(process.inputReader().readLine()).isEqualTo("ready");
  }

  private void start(String script, Duration grace) throws IOException {
    process =
        new ProcessBuilder(Guard.around(List.of("/bin/sh", "-c", script), "TERM", grace)).start();
  }

  private void parentDies() throws IOException {
    process.getOutputStream().close();
  }

  private int exitCode() throws InterruptedException {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
    return process.exitValue();
  }
}
