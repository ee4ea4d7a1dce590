package io.stoker.e2e.stack;

import io.stoker.cli.local.DataFolder;
import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/** Closed, it copies the logs of a stack's processes to the build's folder, for who must read. */
record KeptLogs(String name, DataFolder data) implements AutoCloseable {
  @Override
  public void close() throws IOException {
    Path kept = Files.createDirectories(Checkout.root().resolve("e2e/target/stacks").resolve(name));
    try (Stream<Path> logs = Files.list(data.root().resolve("logs"))) {
      for (Path log : logs.toList()) {
        Files.copy(log, kept.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }
}
