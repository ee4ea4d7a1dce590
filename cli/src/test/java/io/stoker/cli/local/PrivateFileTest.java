package io.stoker.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFileTest {
  private static final int WRITERS = 4;
  private static final int TIMES = 50;

  /** A user and a group. */
  private static final int SOMEBODY = 12345;

  @TempDir Path folder;

  @Test
  void write_ofOneFileBySeveralAtOnce_leavesItWholeAndNothingBeside() throws Exception {
    Path file = folder.resolve("one");
    try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
      List<Future<Void>> all = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        all.add(writers.submit(writer(file)));
      }
      for (Future<Void> one : all) {
        one.get();
      }
    }

    assertThat(file).hasContent("content");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void write_byAThreadThatWasInterrupted_isDoneAllTheSame() throws IOException {
    Path file = folder.resolve("one");

    Thread.currentThread().interrupt();
    PrivateFile.write(file, "content".getBytes(StandardCharsets.UTF_8));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(file).hasContent("content");
  }

  @Test
  void write_byRoot_leavesTheFileToItsOwner() throws IOException {
    assumeThat(System.getProperty("user.name")).isEqualTo("root");
    Path file = Files.createFile(folder.resolve("one"));
    for (String one : List.of("unix:uid", "unix:gid")) {
      Files.setAttribute(file, one, SOMEBODY);
    }

    PrivateFile.write(file, "content".getBytes(StandardCharsets.UTF_8));

    assertThat(file).hasContent("content");
    for (String one : List.of("unix:uid", "unix:gid")) {
      assertThat(Files.getAttribute(file, one)).isEqualTo(SOMEBODY);
    }
  }

  private static Callable<Void> writer(Path file) {
    return () -> {
      for (int i = 0; i < TIMES; i++) {
        PrivateFile.write(file, "content".getBytes(StandardCharsets.UTF_8));
      }
      return null;
    };
  }
}
