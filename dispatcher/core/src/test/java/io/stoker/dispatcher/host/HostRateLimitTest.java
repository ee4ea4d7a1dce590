package io.stoker.dispatcher.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HostRateLimitTest {
  private final HostRateLimit limit = new HostRateLimit(3, 1_000);

  @Test
  void aBurstIsLetThroughAndThenOneAtATime() {
    assertThat(allowed("h1", 5_000, 10)).isEqualTo(3);
    assertThat(allowed("h1", 5_999, 10)).isZero();
    assertThat(allowed("h1", 6_000, 10)).isEqualTo(1);
    assertThat(allowed("h1", 60_000, 10)).as("after a rest").isEqualTo(3);
  }

  @Test
  void oneHostsHellosKeepNoOtherOneOut() {
    allowed("h1", 5_000, 100);
    assertThat(allowed("h2", 5_000, 1)).isEqualTo(1);
  }

  @Test
  void whoHasRestedIsForgottenWhereManyHostsAreNamed() {
    for (int i = 0; i < 100_000; i++) {
      limit.allows("host-" + i, i);
    }
    assertThat(limit.remembered()).isLessThanOrEqualTo(2 * HostRateLimit.FEW);

    assertThat(allowed("h1", 100_000, 10)).isEqualTo(3);
    for (int i = 0; i < 10_000; i++) {
      limit.allows("other-" + i, 100_000);
    }
    assertThat(allowed("h1", 100_000, 10)).as("it has not rested").isZero();
  }

  private int allowed(String host, long now, int times) {
    int allowed = 0;
    for (int i = 0; i < times; i++) {
      allowed += limit.allows(host, now) ? 1 : 0;
    }
    return allowed;
  }
}
