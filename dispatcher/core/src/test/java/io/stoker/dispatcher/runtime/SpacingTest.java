package io.stoker.dispatcher.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpacingTest {
  @Test
  void whoeverIsAloneWaitsForNothing() {
    assertThat(Spacing.nanosAfter(0)).isZero();
    assertThat(Spacing.nanosAfter(1)).isZero();
  }

  @Test
  void theMoreComeAtOnceTheMoreAreWaitedFor() {
    assertThat(Spacing.nanosAfter(2)).isPositive().isEqualTo(Spacing.nanosAfter(31));
    assertThat(Spacing.nanosAfter(32)).isGreaterThan(Spacing.nanosAfter(31));
    assertThat(Spacing.nanosAfter(100_000)).isEqualTo(Spacing.nanosAfter(32));
  }
}
