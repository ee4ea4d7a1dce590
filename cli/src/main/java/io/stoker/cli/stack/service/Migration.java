package io.stoker.cli.stack.service;

import io.stoker.cli.stack.child.LogTail;
import io.stoker.cli.stack.child.Once;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The dispatcher's {@code migrate} step, run in a process of its own until it ends. */
final class Migration {
  private Migration() {}

  static void run(List<String> command, Map<String, String> environment, Path log)
      throws IOException, InterruptedException {
    int exit = Once.run(command, environment, log);
    if (exit != 0) {
      throw new IOException(
          "the database migration ended with exit code %d%s".formatted(exit, LogTail.of(log)));
    }
  }
}
