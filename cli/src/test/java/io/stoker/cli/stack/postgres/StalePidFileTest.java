package io.stoker.cli.stack.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StalePidFileTest {
  @TempDir Path cluster;

  @ParameterizedTest
  @ValueSource(strings = {"", "1\n/data\n", "\0\0\0", "99999999999999999999"})
  void clear_whereNoPostgresIsNamed_removesIt(String content) throws IOException {
    Path file = Files.writeString(cluster.resolve("postmaster.pid"), content);

    new StalePidFile(cluster).clear();

    assertThat(file).doesNotExist();
  }
}
