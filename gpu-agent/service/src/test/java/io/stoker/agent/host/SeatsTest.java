package io.stoker.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.lease.Seat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeatsTest {
  @TempDir private Path folder;

  @Test
  void aFolderIsOneSeatByWhateverPathAndACopyOfItIsAnother() throws IOException {
    Path data = Files.createDirectory(folder.resolve("data"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), data);
    Path copy = Files.createDirectory(folder.resolve("copy"));

    Seat seat = Seats.of(data, "boot");

    assertThat(Seats.of(link, "boot")).isEqualTo(seat);
    assertThat(Seats.of(copy, "boot").name()).isNotEqualTo(seat.name());
    assertThat(Seats.of(data, "boot-2").name()).isNotEqualTo(seat.name());
  }
}
