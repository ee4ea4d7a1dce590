package io.stoker.cli.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Works on the file of a backup, by the dispatcher that was built here. */
final class BackupFile {
  private static final int HEAP = 256;

  private BackupFile() {}

  /**
   * @param what backup or restore
   * @return the exit code
   */
  static int run(DispatchersOwn dispatcher, String what, Path file, boolean force, boolean json)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of(what, file.toAbsolutePath().toString()));
    if (force) {
      arguments.add("--force");
    }
    if (json) {
      arguments.add("--json");
    }
    return dispatcher.run(HEAP, arguments);
  }
}
