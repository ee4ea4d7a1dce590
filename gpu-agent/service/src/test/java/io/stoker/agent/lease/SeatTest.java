package io.stoker.agent.lease;

import static org.assertj.core.api.Assertions.assertThat;

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
}
