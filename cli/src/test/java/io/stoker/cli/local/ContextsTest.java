package io.stoker.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.local.Contexts.Context;
import io.stoker.cli.outcome.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextsTest {
  private static final Context LAB = new Context("https://lab", "lab:9092", "stk_x", null, null);

  @TempDir Path folder;

  @Test
  void write_contexts_areReadAgainByTheirOwnerAlone() throws IOException {
    Path file = Contexts.file(Map.of("XDG_CONFIG_HOME", folder.toString()));
    Contexts kept = Contexts.read(file).with("lab", LAB).use("lab");
    kept.write(file);

    assertThat(Contexts.read(file)).isEqualTo(kept);
    assertThat(Contexts.read(file).current()).hasValue(LAB);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void file_withoutAFolderForConfigurations_isBelowHome() {
    assertThat(Contexts.file(Map.of("HOME", "/home/ann")))
        .isEqualTo(Path.of("/home/ann/.config/stoker/contexts.json"));
  }

  @Test
  void without_theOneInUse_theLocalStackIsUsed() {
    Contexts kept = new Contexts(null, null).with("lab", LAB).use("lab");

    assertThat(kept.without("lab").current()).isEmpty();
    assertThat(kept.use(Contexts.LOCAL).current()).isEmpty();
  }

  @Test
  void use_oneThatIsNotThere_isRefused() {
    Contexts kept = new Contexts(null, null).with("lab", LAB);

    assertThatThrownBy(() -> kept.use("prod"))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("[lab]");
    assertThatThrownBy(() -> kept.with(Contexts.LOCAL, LAB)).isInstanceOf(CliException.class);
  }
}
