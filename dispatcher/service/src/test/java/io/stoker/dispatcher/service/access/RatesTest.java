package io.stoker.dispatcher.service.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RatesTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final int AT_ONCE = 20;

  private final Rates rates = new Rates(2);
  private final long start = Long.MAX_VALUE - 5 * SECOND;

  @Test
  void call_beyondTheBurst_waitsForItsTurn() {
    for (int i = 0; i < AT_ONCE; i++) {
      assertThat(rates.call("ann", start)).isZero();
    }

    assertThat(rates.call("ann", start)).isEqualTo(Duration.ofMillis(500));
    assertThat(rates.call("ann", start)).as("refused ones do not count").hasMillis(500);
    assertThat(rates.call("bea", start)).as("another's").isZero();
    assertThat(rates.call("ann", start + SECOND / 2)).isZero();
    assertThat(rates.call("ann", start + SECOND / 2)).hasMillis(500);
  }

  @Test
  void call_afterALongRest_hasTheBurstAndNoMore() {
    assertThat(rates.call("ann", start)).isZero();
    long later = start + 3600 * SECOND; // past where a clock of nanoseconds begins anew
    for (int i = 0; i < AT_ONCE; i++) {
      assertThat(rates.call("ann", later)).isZero();
    }

    assertThat(rates.call("ann", later)).isPositive();
  }
}
