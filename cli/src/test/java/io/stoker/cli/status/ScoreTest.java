package io.stoker.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScoreTest {

  @ParameterizedTest
  @CsvSource({
    "120.0, 120",
    "90.5, 90.5",
    "0, 0",
    "-0.25, -0.25",
    "0.933333333333, 0.9333333",
    "0.00012345678, 0.0001234568",
    "0.00000012, 1.2E-7",
    "123456789.4, 123456800",
    "1.5e12, 1.5E+12"
  })
  void scoresAreShort(double score, String text) {
    assertThat(Score.text(score)).isEqualTo(text);
  }

  @Test
  void noScoreIsNoText() {
    assertThat(Score.text(null)).isEmpty();
  }
}
