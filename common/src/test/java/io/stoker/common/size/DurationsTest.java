package io.stoker.common.size;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

  @ParameterizedTest
  @CsvSource({
    "250ms, 250",
    "1ms, 1",
    "90s, 90000",
    "2h, 7200000",
    "24h, 86400000",
    "5m, 300000",
    "1.5s, 1500",
    "0.001s, 1",
    "10 s, 10000",
    "1d, 86400000",
    "3650d, 315360000000",
    "PT1H30M, 5400000",
    "PT90S, 90000",
    "PT0.25S, 250",
    "P1D, 86400000",
    "pt5m, 300000"
  })
  void readsDurations(String text, long millis) {
    assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "5",
        "90",
        "0s",
        "0ms",
        "-5s",
        "+5s",
        "PT-5S",
        "PT0S",
        "0.5ms",
        "PT0.0001S",
        "PT1.0005S",
        "1w",
        "1y",
        "2H",
        "90S",
        "1h30m",
        "5 m ",
        " 5m",
        "NaN",
        "1e3s",
        "∞",
        "3651d",
        "P3651D",
        "315360000001ms",
        "99999999999999999999999h",
        "P1Y",
        "two hours"
      })
  void refusesWhatIsNoDurationOfWholeMilliseconds(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Durations.parse(text))
        .withMessageContaining("\"" + text + "\"")
        .withMessageContaining(Durations.EXPECTED);
  }

  @Test
  void whatIsLessThanNoneIsNone() {
    assertThat(Durations.text(Duration.ofSeconds(-3))).isEqualTo("0 s");
  }

  @Test
  void refusesAMillionDigitsAtOnce() {
    String digits = "1".repeat(1_000_000);
    assertThatIllegalArgumentException().isThrownBy(() -> Durations.parse(digits + "s"));
    assertThatIllegalArgumentException().isThrownBy(() -> Durations.parse("PT" + digits + "S"));
  }
}
