package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.testing.Screen;
import io.stoker.common.json.Json;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PassiveCommandTest {
  @Test
  void show_ofTextsOfOthers_showsWhatATerminalWouldObey() {
    Screen screen = new Screen();
    PassiveCommand.show(
        screen.plain(),
        Json.tree(
            Map.of("id", "a\u009b", "workdir", "/\u001b[2J", "env", Map.of("A", "\u009b2J"))));

    assertThat(screen.out())
        .contains("a\\u009b\n", "workdir  /\\u001b[2J\n", "env      {\"A\":\"\\u009b2J\"}\n");
  }
}
