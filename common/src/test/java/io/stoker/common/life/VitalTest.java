package io.stoker.common.life;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** In processes of their own, since they end. */
class VitalTest {
  /** Lives for ever, but for what it is told to do. */
  static final class Living {
    private Living() {}

    public static void main(String[] what) throws InterruptedException {
      switch (what[0]) {
        case "thread" -> Vital.thread("reader", Living::fill).start();
        case "once" -> Vital.once("container", Living::missing);
        case "clock" -> {
          ScheduledExecutorService clock = Vital.clock("looks", 1);
          clock.scheduleWithFixedDelay(Living::missing, 0, 1, TimeUnit.MILLISECONDS);
        }
        case "well" -> {
          ScheduledExecutorService clock = Vital.clock("looks", 1);
          clock.scheduleWithFixedDelay(() -> {}, 0, 1, TimeUnit.MILLISECONDS);
          Vital.thread("done", () -> {}).start();
          Vital.once("failed", () -> Integer.parseInt("none"));
          clock.schedule(() -> System.exit(3), 50, TimeUnit.MILLISECONDS);
        }
        default -> throw new IllegalArgumentException(what[0]);
      }
      Thread.currentThread().join();
    }

    /** As a client does that takes what is no length for one. */
    private static void fill() {
      System.out.println(new byte[0x15030300].length);
    }

    private static void missing() {
      throw new NoClassDefFoundError("io/stoker/Gone");
    }
  }

  @Test
  void aThreadThatRunsOutOfMemoryEndsTheProcessWithTheReason() throws Exception {
    Ended ended = run("thread");
    assertThat(ended.code()).isEqualTo(ProcessEnd.RESTART_ME);
    assertThat(ended.output())
        .contains("exiting, to be restarted: its thread 'reader' has died of")
        .contains("OutOfMemoryError");
  }

  @Test
  void aTaskThatWouldNeverBeTakenAgainDoes() throws Exception {
    Ended ended = run("clock");
    assertThat(ended.code()).isEqualTo(ProcessEnd.RESTART_ME);
    assertThat(ended.output()).contains("its thread 'looks' has died of").contains("Gone");
  }

  @Test
  void whatIsDoneOnceAndRunsIntoAnErrorEndsTheProcessToo() throws Exception {
    Ended ended = run("once");
    assertThat(ended.code()).isEqualTo(ProcessEnd.RESTART_ME);
    assertThat(ended.output()).contains("its thread 'container' has died of").contains("Gone");
  }

  @Test
  void whatEndsByItselfEndsNothingElse() throws Exception {
    assertThat(run("well").code()).isEqualTo(3);
  }

  private record Ended(int code, String output) {}

  private static Ended run(String what) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Living.class.getName(),
                what)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes());
    return new Ended(process.waitFor(), output);
  }
}
