package io.stoker.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScreenTest {
  @ParameterizedTest
  @CsvSource({
    "50 120, 50",
    "'1 1\n', 1",
    "'', 24",
    "0 0, 24",
    "stty: /dev/tty: no such device, 24",
    "50, 24"
  })
  void readsHowManyRowsThereAre(String answer, int rows) {
    assertThat(Screen.rows(answer)).isEqualTo(rows);
  }

  @Test
  void leavesTheTerminalAsItWas() {
    StringWriter text = new StringWriter();
    try (Screen screen = new Screen(new PrintWriter(text))) {
      screen.draw("one\ntwo\n");
    }

    assertThat(text.toString())
        .isEqualTo(
            "\u001b[?1049h\u001b[?25l\u001b[Hone\u001b[K\ntwo\u001b[K\n\u001b[J\u001b[?25h\u001b[?1049l");
  }

  @Test
  void drawsNoMoreThanThereIsRoomFor() {
    String tall = IntStream.range(0, 100_000).mapToObj(i -> "x").collect(Collectors.joining("\n"));
    StringWriter text = new StringWriter();
    try (Screen screen = new Screen(new PrintWriter(text))) {
      screen.draw(tall);
    }

    assertThat(text.toString().lines().count()).isLessThan(100_000);
  }
}
