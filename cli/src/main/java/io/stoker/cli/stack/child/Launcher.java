package io.stoker.cli.stack.child;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Starts the process of a child, guarded, its output appended to its log. */
final class Launcher {
  private static final long LOG_LIMIT_BYTES = 16L << 20;

  private Launcher() {}

  static Process launch(ChildSpec spec) throws IOException {
    spec.preparation().run();
    keepLogSmall(spec.log());
    ProcessBuilder builder =
        new ProcessBuilder(Guard.around(spec.command(), spec.stop().signal(), spec.stop().grace()))
            .directory(spec.workFolder().toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(spec.log().toFile()));
    StackEnvironment.give(builder.environment(), spec.environment());
    return builder.start();
  }

  private static void keepLogSmall(Path log) throws IOException {
    Files.createDirectories(log.getParent());
    if (Files.exists(log) && Files.size(log) > LOG_LIMIT_BYTES) {
      Files.move(
          log, log.resolveSibling(log.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
