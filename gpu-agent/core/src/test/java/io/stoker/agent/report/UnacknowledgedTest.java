package io.stoker.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnacknowledgedTest {
  private long now = 100;
  private final Unacknowledged channel =
      new Unacknowledged(
          new Timer() {
            @Override
            public long nowMs() {
              return now;
            }

            @Override
            public void after(long ms, Runnable task) {
              throw new AssertionError("nothing is waited for");
            }
          });

  @Test
  void whoSaysNothingIsNotStuck() {
    now += 1_000_000;
    assertThat(channel.stuckMs()).isZero();
    channel.sent();
    assertThat(channel.stuckMs()).isZero();
  }

  @Test
  void itIsStuckSinceTheLastOneArrived() {
    channel.sent();
    now += 10;
    channel.sent();
    assertThat(channel.stuckMs()).isEqualTo(10);

    channel.over();
    assertThat(channel.stuckMs()).isZero();
    now += 7;
    assertThat(channel.stuckMs()).isEqualTo(7);

    channel.over();
    now += 7;
    assertThat(channel.stuckMs()).isZero();
  }
}
