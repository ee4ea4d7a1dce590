package io.stoker.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.outcome.CliException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReasonTest {
  @Test
  void anyTextIsOneAndNoneIsNone() {
    assertThat(Reason.checked("the data was wrong, é😀")).isEqualTo("the data was wrong, é😀");
    assertThat(Reason.checked("x".repeat(Reason.MOST_BYTES))).hasSize(Reason.MOST_BYTES);
    assertThat(Reason.checked(null)).isNull();
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of("a\0b", "--reason: \\u0000, expected text without NUL characters"),
        Arguments.of("a\ud83d", "--reason: \\ud83d, expected text without lone surrogates"),
        Arguments.of(" ", "--reason is empty, expected a text"),
        Arguments.of(
            "é".repeat(Reason.MOST_BYTES), "--reason is 2000 bytes long, expected at most 1000"));
  }

  @ParameterizedTest
  @MethodSource
  void refused(String given, String why) {
    assertThatThrownBy(() -> Reason.checked(given))
        .isInstanceOf(CliException.class)
        .hasMessage(why);
  }
}
