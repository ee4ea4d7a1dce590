package io.stoker.cli.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.DataFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class InterruptedStartTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @TempDir Path folder;

  @Test
  void whileTheDatabaseClusterIsMade_leavesNothingRunning() throws Exception {
    DataFolder data = new DataFolder(folder.resolve("data"));
    FutureTask<EmbeddedStack> start =
        new FutureTask<>(() -> EmbeddedStack.start(data, StackOptions.BACKENDS_ONLY));
    Thread starting = Thread.ofPlatform().start(start);
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(PATIENCE)
        .until(() -> running().stream().anyMatch(command -> command.contains("initdb")));

    starting.interrupt();

    assertThatThrownBy(start::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(running()).isEmpty());
    assertThat(data.root().resolve("postgres.password")).doesNotExist();
    assertThat(data.postgres()).doesNotExist();
  }

  /** Commands that name the folder. */
  private List<String> running() {
    return ProcessHandle.allProcesses()
        .flatMap(process -> process.info().commandLine().stream())
        .filter(command -> command.contains(folder.toString()))
        .toList();
  }
}
