package io.stoker.cli.stack.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The file by which PostgreSQL notes that it runs on a data folder. After a power failure or in a
 * restarted container its pid may by chance be that of another process, and PostgreSQL would refuse
 * to start. The stack's own lock rules out a second server, so a file that names no PostgreSQL is
 * removed.
 */
final class StalePidFile {
  private final Path file;

  StalePidFile(Path cluster) {
    this.file = cluster.resolve("postmaster.pid");
  }

  void clear() throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    boolean alive =
        pid()
            .flatMap(ProcessHandle::of)
            .flatMap(process -> process.info().command())
            .filter(command -> Path.of(command).endsWith("postgres"))
            .isPresent();
    if (!alive) {
      Files.delete(file);
    }
  }

  /** None also in a file that a power failure has damaged. */
  private Optional<Long> pid() throws IOException {
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    return text.lines()
        .findFirst()
        .map(String::strip)
        .filter(line -> line.matches("\\d{1,18}"))
        .map(Long::valueOf);
  }
}
