package io.stoker.agent.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFileTest {
  @TempDir private Path folder;

  /** Whose file is written anew between two looks, with each of these. */
  private SecretFile written(Path file, String... then) {
    Deque<String> left = new ArrayDeque<>(List.of(then));
    return new SecretFile(
        file,
        () -> {
          if (!left.isEmpty()) {
            write(file, left.poll());
          }
        });
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void whatIsBeingWritten_isReadWhole() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "");

    assertThat(written(file, "s3c", "s3cr3t-2\n").read()).isEqualTo("s3cr3t-2");
  }

  @Test
  void whatHasNotChangedForLong_isReadAtOnce() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "s3cr3t-1\n");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(5)));
    SecretFile source =
        new SecretFile(
            file,
            () -> {
              throw new AssertionError("it waits");
            });

    assertThat(source.read()).isEqualTo("s3cr3t-1");
  }

  @Test
  void whatChangesAllTheTime_isNoSecret() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "0");
    SecretFile source = new SecretFile(file, () -> write(file, Long.toString(System.nanoTime())));

    assertThatThrownBy(source::read)
        .isInstanceOf(IOException.class)
        .hasMessage(file + " changes all the time");
  }

  @Test
  void aFileThatGoesMeanwhile_isNone() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "s3cr3t");
    SecretFile source = new SecretFile(file, () -> file.toFile().delete());

    assertThatThrownBy(source::read)
        .isInstanceOf(IOException.class)
        .hasMessage("there is no " + file);
  }
}
