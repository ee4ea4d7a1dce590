package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class LastReadTest {
  private final List<String> parsed = new ArrayList<>();
  private final LastRead<String> read =
      new LastRead<>(
          (row, text) -> {
            parsed.add(text);
            return text == null ? "nothing" : text.toUpperCase(Locale.ROOT);
          });

  @Test
  void whatStayedIsParsedOnce() {
    assertThat(read.of("a", "x")).isEqualTo("X");
    assertThat(read.of("b", "x")).isEqualTo("X");
    assertThat(read.of("a", "x")).isEqualTo("X");
    assertThat(parsed).containsExactly("x", "x");
  }

  @Test
  void whatChangedIsParsedAgain() {
    assertThat(read.of("a", "x")).isEqualTo("X");
    assertThat(read.of("a", "y")).isEqualTo("Y");
    assertThat(read.of("a", null)).isEqualTo("nothing");
    assertThat(read.of("a", "y")).isEqualTo("Y");
    assertThat(parsed).containsExactly("x", "y", null);
  }
}
