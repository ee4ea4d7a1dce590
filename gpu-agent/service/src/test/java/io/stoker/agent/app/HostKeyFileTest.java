package io.stoker.agent.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.key.AgentKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file that holds a host's key. */
class HostKeyFileTest {
  @TempDir private Path folder;

  @Test
  void look_atAnotherKey_signsWithIt() throws IOException {
    Path file = Files.writeString(folder.resolve("key"), "0102\n");
    AgentKey key = HostKeyFile.key(Optional.empty(), Optional.of(file));
    HostKeyFile watched = new HostKeyFile(file, key);
    assertThat(key.signing()).contains(new byte[] {1, 2});

    Files.writeString(file, "0304");
    watched.look();
    assertThat(key.signing()).as("it may be half of one").contains(new byte[] {1, 2});
    Files.writeString(file, "030405");
    watched.look();
    watched.look();

    assertThat(key.signing()).contains(new byte[] {3, 4, 5});
  }

  @Test
  void look_atAFileThatIsGoneOrHalfWritten_keepsTheKey() throws IOException {
    Path file = Files.writeString(folder.resolve("key"), "0102");
    AgentKey key = HostKeyFile.key(Optional.empty(), Optional.of(file));
    HostKeyFile watched = new HostKeyFile(file, key);

    Files.writeString(file, "030");
    watched.look();
    Files.writeString(file, "");
    watched.look();
    Files.delete(file);
    watched.look();

    assertThat(key.signing()).contains(new byte[] {1, 2});
  }

  @Test
  void key_ofAFileThatIsNotThere_isAMistakeThatNamesIt() {
    Path file = folder.resolve("none");

    assertThatThrownBy(() -> HostKeyFile.key(Optional.empty(), Optional.of(file)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stoker.agent.key-file")
        .hasMessageContaining(file.toString());
  }

  @Test
  void key_thatIsNoHex_isAMistakeThatDoesNotSayIt() {
    assertThatThrownBy(() -> HostKeyFile.key(Optional.of("very-secret"), Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stoker.agent.key is no hex")
        .hasMessageNotContaining("very");
  }

  @Test
  void key_givenTwice_isAMistake() {
    assertThatThrownBy(() -> HostKeyFile.key(Optional.of("01"), Optional.of(folder)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("both");
  }

  @Test
  void key_givenItself_isThatOneAndNoneIsNone() {
    assertThat(HostKeyFile.key(Optional.of("01"), Optional.empty()).signing())
        .contains(new byte[] {1});
    assertThat(HostKeyFile.key(Optional.empty(), Optional.empty()).signing()).isEmpty();
  }
}
