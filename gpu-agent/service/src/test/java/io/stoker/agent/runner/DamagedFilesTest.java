package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.supervise.Scripts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bit of what an agent keeps on disk has flipped, or what is there is nothing of its own. */
class DamagedFilesTest {
  private static final byte[] NO_TEXT = {(byte) 0xff, 0, (byte) 0xc3, '\n', '5', ' ', '\n'};

  @TempDir Path folder;

  @Test
  void whatARunsStateSaysIsReadOrIsAsIfItsSpawnerHadNotGotThere() throws IOException {
    Path state = folder.resolve("state");
    byte[] text = "4711 8899\n137\n".getBytes(StandardCharsets.US_ASCII);
    for (int bit = 0; bit < 8 * text.length; bit++) {
      byte[] changed = text.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(state, changed);
      assertThat(RunState.read(state))
          .as("bit %d", bit)
          .isInstanceOfAny(RunState.Claimed.class, RunState.Alive.class, RunState.Ended.class);
    }
    Files.write(state, NO_TEXT);
    assertThat(RunState.read(state)).isInstanceOf(RunState.Claimed.class);
  }

  @Test
  void aScriptIsWrittenAgain() throws IOException {
    Path script = folder.resolve("script.sh");
    Files.write(script, NO_TEXT);
    Scripts.write(script, "exit 0\n");
    assertThat(script).hasContent("exit 0\n");
  }
}
