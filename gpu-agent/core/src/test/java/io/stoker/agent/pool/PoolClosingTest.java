package io.stoker.agent.pool;

import static io.stoker.agent.pool.PoolHarness.settings;
import static io.stoker.agent.pool.PoolHarness.task;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a pool is reset, closed and opened, and what the next agent knows of that. */
class PoolClosingTest {
  @Test
  void resetEndsTheSessionAndServesOn() {
    PoolHarness pool = PoolHarness.up(settings(1, 1));
    IntStream.range(0, 3).forEach(pool::offer);
    int old = pool.runs(0);

    pool.pool.reset(pool.now);
    pool.carry();

    assertThat(pool.report().session()).isEqualTo(2);
    assertThat(pool.ends).containsOnlyKeys(task(1), task(2));
    assertThat(pool.ends.values()).containsOnly(new TaskEnd.Reset());
    // Its result, should it come before its worker is gone, is dropped.
    pool.pool.answered(old, 1, new Answer.Done(Optional.empty()), pool.now);
    pool.carry();
    assertThat(pool.ends).hasSize(2);
    pool.buried();
    assertThat(pool.ends.get(task(0))).isEqualTo(new TaskEnd.Reset());
    assertThat(pool.report().idle()).isTrue();
    pool.deliver();
    pool.ready(pool.started.getLast());
    pool.offer(3);
    pool.done(3);
    assertThat(pool.report().failed()).isZero();
    assertThat(pool.report().crashes()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Closing.class)
  void closes(Closing how) {
    PoolHarness pool = PoolHarness.up(settings(2, 2));
    IntStream.range(0, 5).forEach(pool::offer);

    pool.pool.close(how, pool.now);
    pool.carry();
    pool.pool.close(how, pool.now);
    pool.carry();

    assertThat(pool.offer(9)).isFalse();
    assertThat(pool.report().status()).isEqualTo(PoolStatus.CLOSING);
    assertThat(pool.report().capacity()).isZero();
    // Nobody exits before it is told, and nobody is told who has work.
    assertThat(pool.told).isEmpty();
    switch (how) {
      case DRAIN -> {
        assertThat(pool.ends).isEmpty();
        IntStream.range(0, 5).forEach(pool::done);
      }
      case DISCARD -> {
        assertThat(pool.ends).hasSize(3);
        pool.done(0);
        pool.done(1);
      }
      case ABORT -> {
        assertThat(pool.ends).hasSize(3);
        assertThat(pool.killed).hasSize(2);
      }
    }
    pool.buried();
    assertThat(pool.report().status()).isEqualTo(PoolStatus.CLOSED);
    assertThat(pool.report().idle()).isTrue();
    assertThat(pool.pool.empty()).isTrue();
    assertThat(pool.pool.nextTick()).isEmpty();
    pool.after(1_000_000);
    assertThat(pool.started).hasSize(2);
    long returned = how == Closing.DRAIN ? 0 : how == Closing.DISCARD ? 3 : 5;
    assertThat(pool.ends.values().stream().filter(TaskEnd.Returned.class::isInstance))
        .hasSize((int) returned);
  }

  @Test
  void isClosedHarderButNeverSofter() {
    PoolHarness pool = PoolHarness.up(settings(1, 1));
    pool.offer(0);
    pool.offer(1);
    pool.pool.close(Closing.DISCARD, pool.now);
    pool.carry();
    pool.pool.close(Closing.DRAIN, pool.now);
    pool.carry();
    assertThat(pool.ends).containsOnlyKeys(task(1));
    assertThat(pool.killed).isEmpty();
    pool.pool.close(Closing.ABORT, pool.now);
    pool.carry();
    assertThat(pool.killed).hasSize(1);
  }

  @Test
  void opensAgain() {
    PoolHarness pool = PoolHarness.up(settings(1, 1));
    pool.pool.close(Closing.ABORT, pool.now);
    pool.carry();
    pool.buried();
    pool.pool.open(pool.now);
    pool.carry();
    pool.ready(pool.started.getLast());
    assertThat(pool.report().status()).isEqualTo(PoolStatus.SERVING);
    assertThat(pool.offer(0)).isTrue();
  }

  @Test
  void whoDoesNotEndWhenToldIsKilled() {
    PoolHarness pool = PoolHarness.up(settings(1, 1));
    pool.pool.close(Closing.DRAIN, pool.now);
    pool.carry();
    assertThat(pool.told).hasSize(1);
    pool.after(9_999);
    assertThat(pool.killed).isEmpty();
    pool.after(1);
    assertThat(pool.killed).containsExactlyElementsOf(pool.told);
  }

  @Test
  void endsWithItsAgentWithinTheTimeOut() {
    PoolHarness pool = PoolHarness.up(settings(1, 1));
    pool.offer(0);
    pool.offer(1);
    pool.pool.shutdown(pool.now);
    pool.carry();
    assertThat(pool.ends).containsOnlyKeys(task(1));
    pool.after(10_000);
    assertThat(pool.killed).hasSize(1);
    pool.buried();
    assertThat(pool.ends.get(task(0))).isInstanceOf(TaskEnd.Returned.class);
    assertThat(pool.pool.empty()).isTrue();
  }

  @Test
  void theNextAgentsPoolKnowsWhatItWasToldAndCountsOn() {
    PoolHarness before = PoolHarness.up(settings(1, 1));
    before.pool.close(Closing.DRAIN, before.now);
    before.carry();
    assertThat(before.remembered.closing()).contains(Closing.DRAIN);
    before.pool.open(before.now);
    before.pool.reset(before.now);
    before.carry();
    before.gone(1);
    assertThat(before.remembered)
        .isEqualTo(new PoolEffect.Remember(2, Optional.empty(), before.report().crashes()));
    before.pool.shutdown(before.now);
    before.carry();
    assertThat(before.remembered.closing()).as("it stops, and was not told to close").isEmpty();

    PoolMemory memory = new PoolMemory(3, Optional.of(Closing.DISCARD), 7, 2, 1);
    Pool next = new Pool(settings(1, 1), memory, 2);

    PoolReport report = next.report();
    assertThat(report.status()).isEqualTo(PoolStatus.CLOSED);
    assertThat(report.session()).isEqualTo(3);
    assertThat(report.queued()).isEqualTo(9);
    assertThat(report.processed()).isEqualTo(7);
    assertThat(report.failed()).isEqualTo(2);
    assertThat(report.crashes()).isEqualTo(1);
    assertThat(next.offer(task(1), 0)).isFalse();
    next.lost(task(2), new TaskEnd.Lost("gone"), 0);
    next.lost(task(3), new TaskEnd.Lost("gone"), 0);
    assertThat(next.report().idle()).isTrue();
    assertThat(next.report().failed()).isEqualTo(4);
    next.open(0);
    assertThat(next.report().status()).isEqualTo(PoolStatus.STARTING);
    assertThat(next.offer(task(4), 0)).isTrue();
  }
}
