package io.stoker.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {
  @Test
  void eachPercentile_isADurationThatWasMeasured() {
    double[] millis = IntStream.rangeClosed(1, 200).mapToDouble(i -> 201 - i).toArray();

    assertThat(Percentiles.of(millis)).isEqualTo(new Percentiles(100, 190, 198, 200));
  }

  @Test
  void percentiles_ofOneDuration_areThatDuration() {
    assertThat(Percentiles.of(new double[] {7.123}))
        .isEqualTo(new Percentiles(7.12, 7.12, 7.12, 7.12));
  }

  @Test
  void percentiles_ofNoDurations_areRefused() {
    assertThatThrownBy(() -> Percentiles.of(new double[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
