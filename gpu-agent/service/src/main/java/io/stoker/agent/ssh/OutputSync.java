package io.stoker.agent.ssh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Copies what a run writes on its node, as far as it has come here. The files' sizes say where to
 * go on, also after a restart.
 */
record OutputSync(Path stdout, Path stderr, Path result) {
  long stdoutSize() {
    return stdout.toFile().length();
  }

  long stderrSize() {
    return stderr.toFile().length();
  }

  /** Takes what is new. */
  void add(Look look) throws IOException {
    append(stdout, look.stdout());
    append(stderr, look.stderr());
    if (look.result().length > 0) {
      Files.createDirectories(result.getParent());
      Files.write(result, look.result());
    }
  }

  private static void append(Path file, byte[] bytes) throws IOException {
    if (bytes.length > 0) {
      Files.createDirectories(file.getParent());
      Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }
}
