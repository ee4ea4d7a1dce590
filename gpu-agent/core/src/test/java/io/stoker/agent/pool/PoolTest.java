package io.stoker.agent.pool;

import static io.stoker.agent.pool.PoolHarness.settings;
import static io.stoker.agent.pool.PoolHarness.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How tasks go through a pool whose workers the test plays, and how they are counted. */
class PoolTest {
  private static final List<String> COMMAND = List.of("worker");

  private static PoolSettings output(int workers, int output) {
    return new PoolSettings(
        "p",
        COMMAND,
        Map.of(),
        Map.of(),
        Optional.empty(),
        workers,
        workers,
        2,
        output,
        60_000,
        10_000,
        10_000,
        true,
        0,
        OptionalLong.empty(),
        0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7})
  void holdsThreeAWorkerWithJobsThatBlock(int workers) {
    PoolHarness pool = PoolHarness.up(settings(workers, workers));

    long taken = IntStream.range(0, 100).filter(pool::offer).count();

    assertThat(taken).isEqualTo(3L * workers);
    assertThat(pool.running).hasSize(workers);
    assertThat(pool.report().waiting()).isEqualTo(2 * workers);
    assertThat(pool.report().capacity()).isEqualTo(3 * workers);
    assertThat(pool.pool.full()).hasValueSatisfying(why -> assertThat(why).contains("holds"));
  }

  @Test
  void holdsAsManyBeforeItsWorkersAreUp() {
    PoolHarness pool = new PoolHarness(settings(2, 2));
    assertThat(IntStream.range(0, 100).filter(pool::offer).count()).isEqualTo(6);
    pool.readyAll();
    assertThat(pool.running).hasSize(2);
    assertThat(pool.report().waiting()).isEqualTo(4);
  }

  @Test
  void roundRobinSkipsTheFull() {
    PoolHarness pool = PoolHarness.up(settings(3, 3));
    IntStream.range(0, 9).forEach(pool::offer);
    assertThat(pool.offer(9)).isFalse();

    int freed = pool.runs(1);
    pool.done(1);

    // Its next came from its own queue, and only it has room.
    assertThat(pool.running).containsKey(freed);
    assertThat(pool.offer(10)).isTrue();
    assertThat(pool.offer(11)).isFalse();
  }

  @Test
  void idleIsWhenAllThatWasQueuedIsProcessed() {
    PoolHarness pool = PoolHarness.up(settings(2, 2));
    IntStream.range(0, 4).forEach(pool::offer);
    assertThat(pool.report().idle()).isFalse();

    pool.done(0);
    pool.answer(1, new Answer.Failed("no"));
    pool.answer(2, new Answer.Done(Optional.empty()));
    pool.answer(3, new Answer.OutOfMemory("full"));

    assertThat(pool.report().idle()).isTrue();
    assertThat(pool.report().queued()).isEqualTo(4);
    assertThat(pool.report().processed()).isEqualTo(4);
    assertThat(pool.report().failed()).isEqualTo(2);
    assertThat(pool.ends.get(task(1))).isEqualTo(new TaskEnd.Answered(new Answer.Failed("no")));
    assertThat(pool.ends.get(task(2)))
        .isEqualTo(new TaskEnd.Answered(new Answer.Done(Optional.empty())));
  }

  @Test
  void noMoreEndsAreUnderWayThanItsOutputBound() {
    PoolHarness pool = PoolHarness.up(output(2, 3));
    IntStream.range(0, 6).forEach(pool::offer);
    pool.done(0);
    assertThat(pool.running).hasSize(2);
    pool.done(1);
    assertThat(pool.running).hasSize(1);
    pool.done(2);
    assertThat(pool.running).isEmpty();

    pool.deliver();

    assertThat(pool.running).hasSize(2);
    assertThat(pool.report().delivered()).isEqualTo(3);
  }

  @Test
  void aQueuedTaskIsTakenOutAtOnceAndOneThatRunsWhenItsWorkerIsGone() {
    PoolHarness pool = PoolHarness.up(settings(1, 1));
    pool.offer(0);
    pool.offer(1);
    pool.pool.remove(task(1), false, pool.now);
    pool.carry();
    assertThat(pool.ends.get(task(1))).isEqualTo(new TaskEnd.Removed(false));
    pool.pool.remove(task(0), true, pool.now);
    pool.carry();
    assertThat(pool.ends).doesNotContainKey(task(0));
    assertThat(pool.killed).hasSize(1);
    pool.buried();
    assertThat(pool.ends.get(task(0))).isEqualTo(new TaskEnd.Removed(true));
    assertThat(pool.started).hasSize(2);
    assertThat(pool.report().crashes()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"3,2,2,min", "-1,2,2,min", "0,-1,2,max", "0,1,-1,queue"})
  void refusesWhatMakesNoSense(int min, int max, int queue, String field) {
    assertThatThrownBy(
            () ->
                new PoolSettings(
                    "p",
                    COMMAND,
                    Map.of(),
                    Map.of(),
                    Optional.empty(),
                    min,
                    max,
                    queue,
                    3,
                    1,
                    1,
                    1,
                    true,
                    0,
                    OptionalLong.empty(),
                    0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(field);
  }

  /**
   * Whatever happens in whatever order: all that was taken leaves once, and it is idle at the end.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void countsExactlyThroughAnything(long seed) {
    Random random = new Random(seed);
    PoolHarness pool = new PoolHarness(settings(random.nextInt(3), 2 + random.nextInt(3)));
    int next = 0;
    for (int i = 0; i < 3_000; i++) {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> pool.offer(next++);
        case 3, 4, 5 ->
            pool.running.values().stream()
                .flatMap(tasks -> tasks.values().stream())
                .findFirst()
                .ifPresent(task -> pool.done(Integer.parseInt(task.job().substring(1))));
        case 6 -> pool.running.keySet().stream().findAny().ifPresent(pool::gone);
        case 7 -> pool.readyAll();
        case 8 -> pool.deliver();
        case 9 -> pool.after(random.nextInt(20_000));
        case 10 -> {
          pool.pool.remove(task(random.nextInt(next + 1)), false, pool.now);
          pool.carry();
        }
        default -> {
          switch (random.nextInt(8)) {
            case 0 -> pool.pool.reset(pool.now);
            case 1 -> pool.pool.close(Closing.DRAIN, pool.now);
            case 2 -> pool.pool.close(Closing.ABORT, pool.now);
            case 3 -> pool.pool.yield(pool.now);
            default -> pool.pool.open(pool.now);
          }
          pool.carry();
          pool.buried();
        }
      }
    }
    pool.pool.open(pool.now);
    pool.carry();
    for (int i = 0; i < 200 && !pool.report().idle(); i++) {
      pool.buried();
      pool.after(1_000);
      pool.readyAll();
      pool.deliver();
      pool.running.values().stream()
          .flatMap(tasks -> tasks.values().stream())
          .toList()
          .forEach(task -> pool.done(Integer.parseInt(task.job().substring(1))));
    }
    assertThat(pool.report().idle()).isTrue();
    pool.deliver();
    assertThat(pool.report().delivered()).isEqualTo(pool.report().queued());
  }
}
