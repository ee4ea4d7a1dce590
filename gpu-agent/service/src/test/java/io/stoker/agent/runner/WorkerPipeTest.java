package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.secret.Masks;
import io.stoker.agent.spawn.Pipes;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is told to a worker, which is played by the test. */
@Timeout(60)
class WorkerPipeTest {
  private static final WorkerKey KEY = new WorkerKey("p", "test", 1);
  private static final int JOBS = 2_000;

  @TempDir Path data;
  private final BlockingQueue<Input> said = new LinkedBlockingQueue<>();

  /** The agent's thread tells it; all of the host would stand still with that. */
  @Test
  void tell_aWorkerThatAnswersWhatItHasNotRead_waitsForNothingAndLosesNothing() throws Exception {
    RunFolders folders = new RunFolders(data, RunUsers.SELF);
    Files.createDirectories(folders.folder(KEY));
    WorkerPipe pipe = WorkerPipe.open(KEY, folders, Masks.NONE, said::add);
    try (OutputStream answers = Files.newOutputStream(folders.stdout(KEY));
        BufferedReader read =
            new BufferedReader(
                new InputStreamReader(
                    new FileInputStream(folders.input(KEY).toFile()), StandardCharsets.UTF_8))) {
      for (int n = 1; n <= JOBS; n++) {
        List<JsonNode> job = List.of(job(n));
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> pipe.tell(job));
        String done = "#stoker:worker {\"v\":1,\"n\":%d,\"is\":\"done\"}\n".formatted(n);
        answers.write(done.getBytes(StandardCharsets.UTF_8));
        answers.flush();
        assertThat(said.poll(20, TimeUnit.SECONDS)).isInstanceOf(Input.WorkerAnswered.class);
      }

      for (int n = 1; n <= JOBS; n++) {
        assertThat(read.readLine()).contains("\"n\":" + n + ",");
      }
    }
    pipe.end(() -> said.add(new Input.Tick()));
    assertThat(said.poll(20, TimeUnit.SECONDS)).isInstanceOf(Input.Tick.class);
  }

  @Test
  void open_whereOneOfItsPipesCannotBeMade_leavesTheOtherClosed() throws Exception {
    RunFolders folders = new RunFolders(data, RunUsers.SELF);
    Files.createDirectories(folders.input(KEY).resolve("in the way"));

    assertThatThrownBy(() -> WorkerPipe.open(KEY, folders, Masks.NONE, said::add))
        .isInstanceOf(IOException.class);

    assertThat(open()).doesNotContain(folders.stdout(KEY).toRealPath());
  }

  /** The kernel gives those of a user smaller ones who has many, and is not root. */
  @Test
  void atOnce_ofAnyPipe_isWhatItHasRoomForHoweverItIsWrittenAndRead() throws Exception {
    assertThat(WorkerPipe.atOnce(64 * 1024)).isBetween(8 * 1024, 16 * 1024);
    assertThat(WorkerPipe.atOnce(1024 * 1024)).isEqualTo(16 * 1024);
    assertThat(WorkerPipe.atOnce(8 * 1024)).isBetween(512, 2 * 1024);
    assertThat(WorkerPipe.atOnce(4 * 1024)).isZero();
    assertThat(WorkerPipe.atOnce(0)).isZero();
  }

  @Test
  void capacity_ofAPipeThatIsOpen_isWhatItTakesBeforeSomebodyReads() throws Exception {
    Path pipe = data.resolve("pipe");
    Pipes.make(pipe);
    try (RandomAccessFile open = new RandomAccessFile(pipe.toFile(), "rw")) {
      int capacity = Pipes.capacity(pipe);

      assertThat(capacity).isPositive();
      assertTimeoutPreemptively(
          Duration.ofSeconds(20), () -> open.write(new byte[capacity]), "it takes all of that");
    }
  }

  private static List<Path> open() throws IOException {
    List<Path> open = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path one : all) {
        try {
          open.add(Files.readSymbolicLink(one));
        } catch (NoSuchFileException e) {
          continue; // closed meanwhile
        }
      }
    }
    return open;
  }

  private static JsonNode job(int n) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("v", 1)
        .put("n", n)
        .put("do", "job")
        .put("params", "x".repeat(100));
  }
}
