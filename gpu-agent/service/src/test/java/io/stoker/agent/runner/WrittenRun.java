package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.report.LogSink;
import io.stoker.agent.secret.Masks;
import io.stoker.common.message.LogChunk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A run whose output a test writes, and an agent that deals with what it says when it is told to.
 */
final class WrittenRun implements AutoCloseable {
  final AttemptKey key;
  final List<Input> said = new ArrayList<>();
  final List<LogChunk> logs = new ArrayList<>();
  private final Deque<Runnable> undone = new ArrayDeque<>();
  private final byte[] buffer = new byte[64 * 1024];
  private final RunThread thread = new RunThread("test");
  private final RunFolders folders;
  private final RunOutput output;
  private boolean busy;
  private int mostUndone;

  private final Inputs inputs =
      new Inputs() {
        @Override
        public void accept(Input input) {
          said.add(input);
        }

        @Override
        public synchronized void accept(Input input, Runnable done) {
          said.add(input);
          if (busy) {
            undone.add(done);
            mostUndone = Math.max(mostUndone, undone.size());
          } else {
            done.run();
          }
        }
      };

  WrittenRun(Path data, String job, ToldBefore before) throws IOException {
    key = new AttemptKey(job, 1);
    folders = new RunFolders(data, RunUsers.SELF);
    Path folder = Files.createDirectories(folders.folder(key));
    JobLog log =
        new JobLog(
            new LogChunk.Source(job, 1, null, "node-a", "request"),
            100_000,
            new LogSink() {
              @Override
              public void send(LogChunk chunk) {
                logs.add(chunk);
              }

              @Override
              public void send(LogChunk chunk, Runnable taken) {
                logs.add(chunk);
                taken.run();
              }
            },
            () -> 7,
            LogCursor.open(folder));
    output =
        new RunOutput(
            new RunOutput.Source(key, true, before), folders, log, Masks.NONE, inputs, () -> {});
  }

  void stdout(byte[] bytes) throws IOException {
    append(folders.stdout(key), bytes);
  }

  void stderr(byte[] bytes) throws IOException {
    append(folders.stderr(key), bytes);
  }

  private static void append(Path file, byte[] bytes) throws IOException {
    Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  Path stdoutFile() {
    return folders.stdout(key);
  }

  Path resultFile() {
    return folders.result(key);
  }

  /** From now on nothing of what is said is dealt with. */
  void busy() {
    busy = true;
  }

  /** All that was said is dealt with, and so is what comes from now on. */
  void idle() {
    busy = false;
    synchronized (inputs) {
      while (!undone.isEmpty()) {
        undone.remove().run();
      }
    }
  }

  int mostUndone() {
    return mostUndone;
  }

  void look() {
    output.look(buffer);
  }

  RunEnd end(int exitCode) {
    return end(exitCode, () -> {});
  }

  /**
   * @param then done once it was tried to read the rest, and before that is tried again
   */
  RunEnd end(int exitCode, RunThread.Step then) {
    CompletableFuture<RunEnd> end = new CompletableFuture<>();
    thread.run(
        () ->
            output.rest(thread, buffer, () -> end.complete(output.end(OptionalInt.of(exitCode)))));
    thread.run(then);
    RunEnd told = end.orTimeout(60, TimeUnit.SECONDS).join();
    output.close();
    return told;
  }

  List<Input.Result> results() {
    return said.stream()
        .filter(Input.Result.class::isInstance)
        .map(Input.Result.class::cast)
        .toList();
  }

  @Override
  public void close() {
    thread.close();
  }
}
