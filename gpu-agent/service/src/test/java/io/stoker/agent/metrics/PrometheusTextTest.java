package io.stoker.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrometheusTextTest {

  @Test
  void aMetricSaysWhatItIsBeforeItsSamples() {
    String text =
        new PrometheusText()
            .metric("a_total", "counter", "What it counts.")
            .sample("a_total", 2, "of", "x", "and", "y")
            .sample("a_total", 3)
            .toString();

    assertThat(text)
        .isEqualTo(
            """
            # HELP a_total What it counts.
            # TYPE a_total counter
            a_total{of="x",and="y"} 2
            a_total 3
            """);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "-1.5, -1.5", "85899345920, 85899345920", "0.93, 0.93", "1e-9, 0.000000001"})
  void numbersAreWrittenInFull(double value, String written) {
    assertThat(new PrometheusText().sample("a", value).toString()).isEqualTo("a " + written + "\n");
  }

  @Test
  void valuesOfLabelsAreEscaped() {
    assertThat(new PrometheusText().sample("a", 1, "l", "x\"y\\z\nw").toString())
        .isEqualTo("a{l=\"x\\\"y\\\\z\\nw\"} 1\n");
  }
}
