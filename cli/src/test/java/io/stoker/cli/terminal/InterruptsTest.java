package io.stoker.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process of its own is interrupted: signals are for a whole JVM. */
class InterruptsTest {
  private static final int DONE = 3;

  private Process process;
  private BufferedReader output;

  /** What takes a while when it is asked to end. */
  static final class Slow {
    public static void main(String... arguments) throws InterruptedException {
      Interrupts.onFirst(
          () -> {
            System.out.println("ending");
            Thread.ofPlatform().start(Slow::end);
          });
      System.out.println("ready");
      Thread.sleep(60_000);
    }

    private static void end() {
      try {
        Thread.sleep(2_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      System.exit(DONE);
    }
  }

  @BeforeEach
  void start() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Slow.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    output = process.inputReader();
    assertThat(output.readLine()).isEqualTo("ready");
  }

  @AfterEach
  void end() {
    process.destroyForcibly();
  }

  private void send(String script) throws Exception {
    String pid = Long.toString(process.pid());
    Process sent = new ProcessBuilder("sh", "-c", script, "sh", pid).inheritIO().start();
    assertThat(sent.waitFor()).isZero();
  }

  private int exitCode() throws InterruptedException {
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  @Test
  void twoSignalsAtOnceAreOneWish() throws Exception {
    send("kill -TERM $1; kill -TERM $1; kill -CONT $1");

    assertThat(output.readLine()).isEqualTo("ending");
    assertThat(exitCode()).isEqualTo(DONE);
  }

  @Test
  void aSecondOneAfterAWhileEndsItAtOnce() throws Exception {
    send("kill -INT $1");
    assertThat(output.readLine()).isEqualTo("ending");
    send("sleep 0.5; kill -INT $1");

    assertThat(exitCode()).isEqualTo(Interrupts.EXIT_CODE);
  }
}
