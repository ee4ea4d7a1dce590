package io.stoker.e2e.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.local.DataFolder;
import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Closed, it copies the logs of a stack's processes to the build's folder, for who must read. In a
 * soak no event loop may have been blocked: Vert.x warns of each that was, for two seconds or more.
 * The short forms start many processes on few cores, of which some load their classes so slowly.
 */
record KeptLogs(String name, DataFolder data) implements AutoCloseable {
  private static final boolean SOAK = Boolean.getBoolean("stoker.soak");

  @Override
  public void close() throws IOException {
    Path kept = Files.createDirectories(Checkout.root().resolve("e2e/target/stacks").resolve(name));
    List<String> blocked = new ArrayList<>();
    try (Stream<Path> logs = Files.list(data.root().resolve("logs"))) {
      for (Path log : logs.toList()) {
        Files.copy(log, kept.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        blocked.addAll(SOAK ? blocked(log) : List.of());
      }
    }
    assertThat(blocked).as("threads that were blocked, see %s", kept).isEmpty();
  }

  private static List<String> blocked(Path log) throws IOException {
    return new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.contains(" has been blocked for "))
        .toList();
  }
}
