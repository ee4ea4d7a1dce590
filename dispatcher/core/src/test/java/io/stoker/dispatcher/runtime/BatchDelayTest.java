package io.stoker.dispatcher.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchDelayTest {
  @Test
  void whoeverIsAloneWaitsForNothing() {
    assertThat(BatchDelay.nanosAfter(0)).isZero();
    assertThat(BatchDelay.nanosAfter(1)).isZero();
  }

  @Test
  void theMoreComeAtOnceTheMoreAreWaitedFor() {
    assertThat(BatchDelay.nanosAfter(2)).isPositive().isEqualTo(BatchDelay.nanosAfter(31));
    assertThat(BatchDelay.nanosAfter(32)).isGreaterThan(BatchDelay.nanosAfter(31));
    assertThat(BatchDelay.nanosAfter(100_000)).isEqualTo(BatchDelay.nanosAfter(32));
  }
}
