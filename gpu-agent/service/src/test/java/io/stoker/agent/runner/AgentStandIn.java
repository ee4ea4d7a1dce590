package io.stoker.agent.runner;

import io.stoker.agent.attempt.Input;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;

/**
 * An agent's runner in a process of its own, that can be killed: starts two jobs, which write a
 * line every so often until a file of theirs is there, says "running", and waits. Argument: its
 * data folder.
 */
final class AgentStandIn {
  /** In its data folder: the pieces of output that it has sent, one a line. */
  static final String LOGS = "sent.jsonl";

  private AgentStandIn() {}

  public static void main(String[] arguments) throws Exception {
    Path data = Path.of(arguments[0]);
    CountDownLatch heard = new CountDownLatch(1);
    RunnerFixture host =
        new RunnerFixture(
            data,
            false,
            RunAs.SELF,
            chunk -> {
              write(data.resolve(LOGS), chunk);
              if (chunk.job().equals("job4")) {
                heard.countDown();
              }
            });
    for (int exitCode : new int[] {3, 4}) {
      host.launch(host.place("job" + exitCode, "sh", "-c", script(host.data, exitCode)));
      host.next(Input.Started.class);
    }
    heard.await();
    System.out.println("running");
    new CountDownLatch(1).await();
  }

  private static void write(Path file, LogChunk chunk) {
    try {
      Files.writeString(
          file, Json.text(chunk) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What such a job does. */
  static String script(Path data, int exitCode) {
    return "i=0; while [ ! -e %s ]; do i=$((i+1)); echo line $i; sleep 0.05; done; exit %d"
        .formatted(data.resolve("end" + exitCode), exitCode);
  }
}
