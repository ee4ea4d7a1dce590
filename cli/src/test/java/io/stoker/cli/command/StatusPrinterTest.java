package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.testing.AStatus;
import io.stoker.cli.testing.Screen;
import io.stoker.common.state.RequestState;
import org.junit.jupiter.api.Test;

class StatusPrinterTest {
  private final Screen screen = new Screen();

  @Test
  void block_ofTextsOfOthers_showsWhatATerminalWouldObeyAndColoursTheStateAlone() {
    new StatusPrinter(screen.coloured())
        .block(
            AStatus.of("a", RequestState.QUEUED, 1)
                .with("group", "\u001b]0;title\u0007")
                .with("progress", "\u009b2J")
                .build());

    assertThat(screen.out())
        .contains("group     \\u001b]0;title\\u0007\n", "progress  \"\\u009b2J\"\n")
        .containsPattern("state     \u001b\\[[0-9;]+mQUEUED\u001b");
  }
}
