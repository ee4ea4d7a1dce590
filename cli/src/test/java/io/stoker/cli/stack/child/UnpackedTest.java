package io.stoker.cli.stack.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnpackedTest {
  @TempDir Path cache;

  @Test
  void fillsAFolderOnce() throws IOException {
    Path folder = cache.resolve("thing-1");

    Unpacked.folder(folder, into -> Files.writeString(into.resolve("file"), "first"));
    Unpacked.folder(folder, into -> Files.writeString(into.resolve("file"), "second"));

    assertThat(folder.resolve("file")).hasContent("first");
    assertThat(cache).isDirectoryNotContaining(path -> !path.equals(folder));
  }

  @Test
  void anotherThatWasQuickerIsAsGood() throws IOException {
    Path folder = cache.resolve("thing-1");

    Unpacked.folder(
        folder,
        into -> {
          Files.createDirectories(folder);
          Files.writeString(folder.resolve("file"), "the other's");
          Files.writeString(into.resolve("file"), "mine");
        });

    assertThat(folder.resolve("file")).hasContent("the other's");
    assertThat(cache).isDirectoryNotContaining(path -> !path.equals(folder));
  }

  @Test
  void aFailureLeavesNothing() {
    assertThatThrownBy(
            () ->
                Unpacked.folder(
                    cache.resolve("thing-1"),
                    into -> {
                      Files.writeString(into.resolve("file"), "part");
                      throw new IOException("disk full");
                    }))
        .hasMessage("disk full");
    assertThat(cache).isEmptyDirectory();
  }

  @Test
  void severalMayDeleteTheSameAtOnce() throws Exception {
    for (int round = 0; round < 20; round++) {
      Path folder = cache.resolve("thing-" + round);
      for (int i = 0; i < 50; i++) {
        Path below = Files.createDirectories(folder.resolve(Integer.toString(i)).resolve("below"));
        Files.writeString(below.resolve("file"), "old");
      }
      Callable<Void> delete =
          () -> {
            Unpacked.delete(folder);
            return null;
          };
      try (ExecutorService three = Executors.newFixedThreadPool(3)) {
        for (Future<Void> one : three.invokeAll(Collections.nCopies(3, delete))) {
          one.get();
        }
      }
      assertThat(folder).doesNotExist();
    }
  }
}
