package io.stoker.agent.spawn;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.fixture.SmallDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeadlineFileTest {
  private static final String BOOT = "f3e4d5c6-0000-4000-8000-123456789abc";

  @TempDir Path folder;

  @Test
  void movesAndIsReadByWhoeverComesNextOnThisBoot() throws Exception {
    DeadlineFile deadline = new DeadlineFile(folder, BOOT);
    assertThat(deadline.read()).isEmpty();
    for (long at : new long[] {1_000, 123_450, 20, 987_654_320}) {
      deadline.write(at);
      assertThat(deadline.read()).hasValue(at);
      assertThat(new DeadlineFile(folder, BOOT).read()).hasValue(at);
    }
    assertThat(new DeadlineFile(folder, "another").read()).isEmpty();
  }

  @Test
  void goesOnFromOneThatAnEarlierBuildHasWritten() throws Exception {
    Files.writeString(folder.resolve("deadline"), "12345\n" + BOOT + "\n");
    DeadlineFile deadline = new DeadlineFile(folder, BOOT);
    assertThat(deadline.read()).hasValue(123_450);
    deadline.write(200_000);
    deadline.write(300_000);
    assertThat(deadline.read()).hasValue(300_000);
    assertThat(Files.readString(folder.resolve("deadline")).split("\n"))
        .as("of which the shell of an earlier build reads the first line")
        .containsExactly("30000", BOOT, "30000");
  }

  @Test
  void aDamagedOneIsNeverLaterThanWhatWasWritten() throws Exception {
    DeadlineFile deadline = new DeadlineFile(folder, BOOT);
    deadline.write(1_234_560);
    deadline.write(1_334_560);
    Path file = folder.resolve("deadline");
    byte[] sound = Files.readAllBytes(file);
    for (int bit = 0; bit < 8 * sound.length; bit++) {
      byte[] damaged = sound.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, damaged); // the file that it is a link to, too
      assertThat(new DeadlineFile(folder, BOOT).read().orElse(0))
          .as("bit %d", bit)
          .isIn(1_234_560L, 1_334_560L);
    }
    for (int length = 0; length < sound.length; length++) {
      Files.write(file, Arrays.copyOf(sound, length));
      assertThat(new DeadlineFile(folder, BOOT).read().orElse(0))
          .as("%d bytes of it", length)
          .isIn(1_234_560L, 1_334_560L);
    }
    deadline.write(1_434_560);
    assertThat(deadline.read()).hasValue(1_434_560);
  }

  @Test
  void whatIsNoDeadlineSetsNone() throws Exception {
    Files.write(folder.resolve("deadline"), new byte[] {(byte) 0xff, '\n', (byte) 0xc3, '\n'});
    assertThat(new DeadlineFile(folder, BOOT).read()).isEmpty();
    Files.writeString(folder.resolve("deadline"), "123q5\n" + BOOT + "\n");
    assertThat(new DeadlineFile(folder, BOOT).read()).isEmpty();
  }

  @Test
  void whoHasItOpenSeesItWhole() throws Exception {
    DeadlineFile deadline = new DeadlineFile(folder, BOOT);
    deadline.write(1_000);
    try (var reader = Files.newBufferedReader(folder.resolve("deadline"))) {
      deadline.write(2_000_000);
      assertThat(reader.readLine()).isEqualTo("100");
    }
  }

  @Test
  void movesOnAFullDisk() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder, 8, 0)) {
      DeadlineFile deadline = new DeadlineFile(disk.root(), BOOT);
      deadline.write(1_000);
      deadline.write(2_000);
      disk.fill();
      for (long at = 3_000; at < 60_000; at += 1_000) {
        deadline.write(at);
        assertThat(deadline.read()).hasValue(at);
      }
    }
  }
}
