package io.stoker.dispatcher.service.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BreakerTest {
  private final AtomicLong clock = new AtomicLong(5000);
  private final Breaker breaker = new Breaker(3, 1000, clock::get);

  @Test
  void staysClosedWhileFailuresAreNotInARow() {
    breaker.failed();
    breaker.failed();
    breaker.succeeded();
    breaker.failed();
    breaker.failed();
    assertThat(breaker.allows()).isTrue();
  }

  @Test
  void opensAfterFailuresInARowForATime() {
    fail(2);
    assertThat(breaker.open()).isFalse();
    fail(1);
    assertThat(breaker.open()).isTrue();
    assertThat(breaker.allows()).isFalse();
    clock.addAndGet(999);
    assertThat(breaker.allows()).isFalse();
    clock.addAndGet(1);
    assertThat(breaker.allows()).isTrue();
  }

  @Test
  void letsOneCallTryAndKeepsTheOthersAwayMeanwhile() {
    fail(3);
    clock.addAndGet(1000);
    assertThat(breaker.allows()).isTrue();
    assertThat(breaker.allows()).isFalse();
  }

  @Test
  void closesWithTheFirstSuccess() {
    fail(3);
    clock.addAndGet(1000);
    assertThat(breaker.allows()).isTrue();
    assertThat(breaker.open()).isTrue();
    breaker.succeeded();
    assertThat(breaker.open()).isFalse();
    assertThat(breaker.allows()).isTrue();
    fail(2);
    assertThat(breaker.allows()).isTrue();
  }

  @Test
  void opensAgainWhenTheTryFails() {
    fail(3);
    clock.addAndGet(1000);
    assertThat(breaker.allows()).isTrue();
    breaker.failed();
    clock.addAndGet(999);
    assertThat(breaker.allows()).isFalse();
  }

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      breaker.failed();
    }
  }
}
