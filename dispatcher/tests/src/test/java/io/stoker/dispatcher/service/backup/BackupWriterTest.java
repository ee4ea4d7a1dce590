package io.stoker.dispatcher.service.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupWriterTest {
  @TempDir Path folder;

  private static Manifest manifest(long at) {
    return new Manifest(
        Manifest.FORMAT,
        "1",
        at,
        "cluster",
        "p.",
        null,
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(one -> one.getFileName().toString()).toList();
    }
  }

  /** As when a timer begins the next while the one before is not over. */
  @Test
  void whatTwoWriteAtOnceIsWholeAtAnyTime() throws IOException {
    Path file = folder.resolve("latest.zip");
    try (BackupWriter one = new BackupWriter(file);
        BackupWriter other = new BackupWriter(file)) {
      try (OutputStream rows = other.table("request")) {
        rows.write("half".getBytes(StandardCharsets.UTF_8));
      }
      one.finish(manifest(1));
      try (BackupReader read = new BackupReader(file)) {
        assertThat(read.manifest().at()).isEqualTo(1);
      }
      other.finish(manifest(2));
      try (BackupReader read = new BackupReader(file)) {
        assertThat(read.manifest().at()).isEqualTo(2);
      }
    }
    assertThat(names()).containsExactly("latest.zip");
  }

  /** Of one that was killed, which nobody else would ever remove. */
  @Test
  void whatNobodyWritesAnyMoreIsRemoved() throws IOException {
    Path killed = Files.writeString(folder.resolve(".latest.zip.1.partial"), "half");
    Files.setLastModifiedTime(killed, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    Path another = Files.writeString(folder.resolve(".other.zip.1.partial"), "half");
    Files.setLastModifiedTime(another, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    Files.writeString(folder.resolve(".latest.zip.2.partial"), "half");

    try (BackupWriter writer = new BackupWriter(folder.resolve("latest.zip"))) {
      writer.finish(manifest(1));
    }

    assertThat(names())
        .containsExactlyInAnyOrder("latest.zip", ".other.zip.1.partial", ".latest.zip.2.partial");
  }

  @Test
  void aFileThatIsNotThereIsSaidToBeMissing() {
    Path missing = folder.resolve("mistyped.zip");
    assertThatThrownBy(() -> new BackupReader(missing))
        .isInstanceOf(Refused.class)
        .hasMessage("there is no file " + missing);
  }
}
