package io.stoker.dispatcher.fairshare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecayTest {
  private static final long HOUR = 3_600_000;

  private final Decay decay = new Decay(HOUR);

  @ParameterizedTest
  @CsvSource({"0, 100", "1, 50", "2, 25", "-1, 100"})
  void halfIsForgottenInEachHalfLife(long hours, double left) {
    assertThat(decay.left(100, hours * HOUR)).isCloseTo(left, within(1e-9));
  }

  @Test
  void aShortRunCountsInFull() {
    assertThat(decay.leftOfRun(100, 0)).isEqualTo(100);
    assertThat(decay.leftOfRun(100, 1000)).isCloseTo(100, within(0.02));
  }

  @Test
  void theBeginningOfALongRunIsForgottenByItsEnd() {
    double slices = 0;
    for (int second = 0; second < 7200; second++) {
      slices += decay.left(1000, 2 * HOUR - second * 1000L - 500);
    }
    assertThat(decay.leftOfRun(2.0 * HOUR, 2 * HOUR)).isCloseTo(slices, within(1.0));
  }

  @Test
  void aRunThatNeverEndsComesToNoMoreThanOneAndAHalfHalfLives() {
    double years = 10_000.0 * HOUR;
    assertThat(decay.leftOfRun(years, years) / HOUR).isCloseTo(1.4427, within(0.001));
  }
}
