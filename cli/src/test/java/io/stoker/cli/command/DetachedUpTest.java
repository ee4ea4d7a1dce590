package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.cli.stack.child.Signals;
import io.stoker.cli.terminal.Interrupts;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DetachedUpTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String BEGUN = "begun";
  private static final String ENDED = "ended";

  @TempDir Path folder;

  @Test
  void whoGivesUpWaitingEndsWhatWasStarted_andItsLogIsAddedTo() throws Exception {
    DataFolder data = new DataFolder(folder);
    data.create();
    Path log = data.log("up");
    Files.writeString(log, "of an earlier one\n");
    Process waiting =
        new ProcessBuilder(
                JavaCommand.ofOwnClassPath(List.of(), Starter.class, List.of(folder.toString())))
            .start();
    try {
      await().atMost(PATIENCE).until(() -> Files.readString(log).contains(BEGUN));

      Signals.send("TERM", waiting.pid());

      assertThat(waiting.waitFor()).isEqualTo(Interrupts.EXIT_CODE);
      assertThat(log)
          .content()
          .containsSubsequence("of an earlier one", BEGUN + System.lineSeparator(), ENDED);
    } finally {
      waiting.destroyForcibly();
    }
  }

  /** Waits for an {@code up}. */
  static final class Starter {
    public static void main(String[] arguments) throws Exception {
      boolean ready =
          DetachedUp.start(
              NeverReady.class,
              new DataFolder(Path.of(arguments[0])),
              StackOptions.DEFAULT,
              Optional.empty(),
              new PrintWriter(System.err, true));
      System.exit(ready ? 0 : Interrupts.EXIT_CODE);
    }
  }

  /** Stands in for an {@code up} that takes its time. */
  static final class NeverReady {
    public static void main(String[] arguments) throws Exception {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(ENDED)));
      System.out.println(BEGUN);
      new CountDownLatch(1).await(2, TimeUnit.MINUTES); // not for ever, where the test fails
    }
  }
}
