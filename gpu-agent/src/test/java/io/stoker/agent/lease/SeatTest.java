package io.stoker.agent.lease;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeatTest {
  @TempDir private Path folder;

  @Test
  void aFolderIsOneSeatByWhateverPathAndACopyOfItIsAnother() throws IOException {
    Path data = Files.createDirectory(folder.resolve("data"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), data);
    Path copy = Files.createDirectory(folder.resolve("copy"));

    Seat seat = Seat.of(data, "boot");

    assertThat(Seat.of(link, "boot")).isEqualTo(seat);
    assertThat(Seat.of(copy, "boot").name()).isNotEqualTo(seat.name());
    assertThat(Seat.of(data, "boot-2").name()).isNotEqualTo(seat.name());
  }

  @Test
  void aCopiedJournalThatNamesRunningAttemptsIsNotUsedOnTheSameBoot() throws IOException {
    Path original = Files.createDirectory(folder.resolve("original"));
    Seat.claim(original, "boot", 3);
    Seat.claim(original, "boot", 3);
    Path copy = Files.createDirectory(folder.resolve("copy"));
    Files.copy(original.resolve("seat"), copy.resolve("seat"));

    assertThatThrownBy(() -> Seat.claim(copy, "boot", 3))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is a copy: the processes of 3 attempt(s)");

    Seat.claim(copy, "boot-2", 3); // of the machine's next start nothing runs
    Files.copy(original.resolve("seat"), copy.resolve("seat"), REPLACE_EXISTING);
    Seat.claim(copy, "boot", 0);
    Seat.claim(copy, "boot", 3);
  }
}
