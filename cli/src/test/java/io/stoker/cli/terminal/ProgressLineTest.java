package io.stoker.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.testing.Screen;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  private final Screen screen = new Screen();
  private long now = 17;

  @Test
  void drawsAgainInPlaceButNotTooOften() {
    ProgressLine line = new ProgressLine(screen.live(), () -> now);

    line.update("1 of 9");
    later(Duration.ofMillis(99));
    line.update("2 of 9");
    later(Duration.ofMillis(1));
    line.update("3 of 9");
    line.close();

    assertThat(screen.err()).isEqualTo("\r\u001b[K1 of 9\r\u001b[K3 of 9\r\u001b[K");
  }

  @Test
  void cutsWhatWouldWrap() {
    new ProgressLine(screen.live(), () -> now).update("x".repeat(300));

    assertThat(screen.err()).hasSize(4 + 100).endsWith("x…");
  }

  @Test
  void inAPipeItPrintsALineNowAndThen() {
    ProgressLine line = new ProgressLine(screen.plain(), () -> now);

    line.update("1 of 9");
    later(Duration.ofSeconds(5));
    line.update("2 of 9");
    later(Duration.ofSeconds(4));
    line.update("3 of 9");
    line.close();

    assertThat(screen.err()).isEqualTo("stoker: 2 of 9\n");
  }

  @Test
  void inAPipeItSaysTheSameAgainOnlyAfterAMinute() {
    ProgressLine line = new ProgressLine(screen.plain(), () -> now);

    for (int i = 0; i < 14; i++) {
      later(Duration.ofSeconds(5));
      line.update("1 of 9");
    }
    line.close();

    assertThat(screen.err()).isEqualTo("stoker: 1 of 9\nstoker: 1 of 9\n");
  }

  private void later(Duration time) {
    now += time.toNanos();
  }
}
