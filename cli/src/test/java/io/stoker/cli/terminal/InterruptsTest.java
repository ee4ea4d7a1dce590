package io.stoker.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.stack.child.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process of its own is interrupted: signals are for a whole JVM. */
class InterruptsTest {
  private static final int DONE = 3;

  private Process process;
  private BufferedReader output;

  /** What ends once its input does. Lines of that move its clock, which says when it is read. */
  static final class Slow {
    private static final AtomicLong NANOS = new AtomicLong(1);

    public static void main(String... arguments) throws IOException {
      Interrupts.onFirst(() -> System.out.println("ending"), Slow::clock);
      System.out.println("ready");
      BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        NANOS.addAndGet(Duration.ofMillis(Long.parseLong(line)).toNanos());
        System.out.println("later");
      }
      System.exit(DONE);
    }

    private static synchronized long clock() {
      System.out.println("signal");
      return NANOS.get();
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

  private void send(String signal) throws Exception {
    Signals.send(signal, process.pid());
    assertThat(output.readLine()).isEqualTo("signal");
  }

  private void later(int ms) throws IOException {
    process.getOutputStream().write((ms + "\n").getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
    assertThat(output.readLine()).isEqualTo("later");
  }

  private int exitCode() throws InterruptedException {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  @Test
  void twoSignalsAtOnceAreOneWish() throws Exception {
    send("TERM");
    assertThat(output.readLine()).isEqualTo("ending");
    later(300);
    send("TERM");
    later(0); // it lives

    process.getOutputStream().close();

    assertThat(exitCode()).isEqualTo(DONE);
  }

  @Test
  void aSecondOneAfterAWhileEndsItAtOnce() throws Exception {
    send("INT");
    assertThat(output.readLine()).isEqualTo("ending");
    later(301);
    send("INT");

    assertThat(exitCode()).isEqualTo(Interrupts.EXIT_CODE);
  }
}
