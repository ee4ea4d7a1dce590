package io.stoker.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BarTest {
  @ParameterizedTest
  @CsvSource({"0, [----]", "0.5, [##--]", "1, [####]", "-3, [----]", "7, [####]"})
  void fillsFromTheLeft(double fraction, String bar) {
    assertThat(Bar.of(fraction, 4)).isEqualTo(bar);
  }
}
