package io.stoker.agent.pool;

import static io.stoker.agent.pool.PoolHarness.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every rule of pools of warm workers, over a pool whose workers the test plays. */
class PoolTest {
  private static final List<String> COMMAND = List.of("worker");

  private static PoolSettings settings(int min, int max) {
    return PoolSettings.of("p", COMMAND, min, max);
  }

  private static PoolSettings noRestart(int workers) {
    PoolSettings standard = settings(workers, workers);
    return new PoolSettings(
        "p",
        COMMAND,
        Map.of(),
        Optional.empty(),
        workers,
        workers,
        2,
        standard.output(),
        60_000,
        10_000,
        10_000,
        false,
        0,
        OptionalLong.empty(),
        0);
  }

  private static PoolSettings output(int workers, int output) {
    return new PoolSettings(
        "p",
        COMMAND,
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
  void aKilledWorkerIsReplacedItsJobReportedAndItsQueueKept() {
    PoolHarness pool = PoolHarness.up(settings(1, 1));
    IntStream.range(0, 3).forEach(pool::offer);
    int killed = pool.runs(0);

    pool.gone(killed);

    assertThat(pool.ends).containsOnlyKeys(task(0));
    assertThat(pool.ends.get(task(0))).isEqualTo(new TaskEnd.Crashed("killed by signal 9"));
    assertThat(pool.started).hasSize(2);
    assertThat(pool.report().crashes()).isEqualTo(1);
    pool.ready(pool.started.get(1));
    pool.done(1);
    pool.done(2);
    assertThat(pool.report().idle()).isTrue();
    assertThat(pool.report().processed()).isEqualTo(3);
    assertThat(pool.report().failed()).isEqualTo(1);
  }

  @Test
  void anAnswerOfAReplacedWorkerCountsForNothing() {
    PoolHarness pool = PoolHarness.up(settings(1, 1));
    pool.offer(0);
    int killed = pool.runs(0);
    pool.gone(killed);
    pool.pool.answered(killed, 1, new Answer.Done(Optional.empty()), pool.now);
    pool.carry();
    assertThat(pool.ends).hasSize(1);
  }

  @Test
  void withoutRestartItGoesOnWithFewerAndFailsAtNone() {
    PoolHarness pool = PoolHarness.up(noRestart(2));
    IntStream.range(0, 6).forEach(pool::offer);

    pool.gone(pool.runs(0));
    assertThat(pool.report().status()).isEqualTo(PoolStatus.SERVING);
    assertThat(pool.report().capacity()).isEqualTo(3);
    assertThat(pool.started).hasSize(2);
    // One crashed with its worker; of its two, there is room for none beside the other's three.
    assertThat(pool.ends.values()).hasSize(3);
    assertThat(pool.ends.values().stream().filter(TaskEnd.Returned.class::isInstance)).hasSize(2);

    pool.gone(pool.running.keySet().iterator().next());
    assertThat(pool.report().status()).isEqualTo(PoolStatus.FAILED);
    assertThat(pool.report().reason()).contains("killed by signal 9");
    assertThat(pool.report().capacity()).isZero();
    assertThat(pool.report().idle()).isTrue();
    assertThat(pool.offer(9)).isFalse();
  }

  @Test
  void aFailedPoolServesAgainWhenItIsOpenedOrReset() {
    for (boolean reset : List.of(true, false)) {
      PoolHarness pool = PoolHarness.up(noRestart(1));
      pool.gone(pool.started.getFirst());
      assertThat(pool.report().status()).isEqualTo(PoolStatus.FAILED);
      if (reset) {
        pool.pool.reset(pool.now);
      } else {
        pool.pool.open(pool.now);
      }
      pool.carry();
      pool.ready(pool.started.getLast());
      assertThat(pool.report().status()).isEqualTo(PoolStatus.SERVING);
      assertThat(pool.offer(1)).isTrue();
      pool.done(1);
    }
  }

  @Test
  void startIsOverWhenAllAreUpAndNamesThoseMissing() {
    PoolHarness pool = new PoolHarness(settings(3, 3));
    pool.tick();
    assertThat(pool.started).hasSize(3);
    pool.ready(pool.started.get(0));
    pool.ready(pool.started.get(2));
    assertThat(pool.report().status()).isEqualTo(PoolStatus.STARTING);

    pool.after(9_999);
    assertThat(pool.killed).isEmpty();
    pool.after(1);

    assertThat(pool.done)
        .contains(new PoolEffect.Note("pool p: not up within 10000 ms: workers 1"));
    assertThat(pool.killed).containsExactly(pool.started.get(1));
    pool.gone(pool.started.get(1));
    pool.after(10_000);
    pool.ready(pool.started.getLast());
    assertThat(pool.report().status()).isEqualTo(PoolStatus.SERVING);
  }

  @Test
  void startsThatComeToNothingAreNotTriedForEver() {
    PoolHarness pool = new PoolHarness(settings(1, 1));
    pool.offer(0);
    for (int i = 1; i <= Supply.MOST_FAILURES; i++) {
      assertThat(pool.started).hasSize(i);
      pool.gone(pool.started.getLast());
      pool.after(100_000);
    }
    assertThat(pool.started).hasSize(Supply.MOST_FAILURES);
    assertThat(pool.report().status()).isEqualTo(PoolStatus.FAILED);
    assertThat(pool.ends.get(task(0))).isInstanceOf(TaskEnd.Returned.class);
  }

  @Test
  void growsFromZeroWithLoadAndShrinksWhenIdle() {
    PoolHarness pool = new PoolHarness(settings(0, 3));
    pool.tick();
    assertThat(pool.started).isEmpty();

    pool.offer(0);
    assertThat(pool.started).hasSize(1);
    pool.offer(1);
    pool.offer(2);
    pool.offer(3);
    assertThat(pool.started).hasSize(3);
    pool.readyAll();
    IntStream.range(0, 4).forEach(pool::done);

    pool.after(59_999);
    assertThat(pool.told).isEmpty();
    pool.after(1);
    assertThat(pool.told).hasSize(3);
    pool.buried();
    assertThat(pool.report().workers()).isZero();
    assertThat(pool.report().crashes()).isZero();
    assertThat(pool.pool.nextTick()).isEmpty();
    pool.offer(4);
    assertThat(pool.started).hasSize(4);
  }

  @Test
  void keepsItsLeastWhenIdle() {
    PoolHarness pool = PoolHarness.up(settings(1, 2));
    pool.offer(0);
    pool.offer(1);
    pool.readyAll();
    pool.done(0);
    pool.done(1);
    pool.after(60_000);
    assertThat(pool.told).hasSize(1);
    pool.buried();
    pool.after(600_000);
    assertThat(pool.report().workers()).isEqualTo(1);
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

  @Test
  void zeroWorkersRunEachJobInAWorkerOfItsOwn() {
    PoolHarness pool = new PoolHarness(settings(0, 0));
    assertThat(pool.offer(0)).isTrue();
    assertThat(pool.offer(1)).isFalse();
    pool.readyAll();
    pool.done(0);
    assertThat(pool.ends.get(task(0)))
        .isEqualTo(new TaskEnd.Answered(new Answer.Done(Optional.of(IntNode.valueOf(0)))));
    assertThat(pool.told).hasSize(1);
    pool.buried();
    assertThat(pool.offer(1)).isTrue();
    pool.ready(pool.started.getLast());
    pool.done(1);
    assertThat(pool.started).hasSize(2);
  }

  @Test
  void idleWorkersGiveUpWhatTheyHoldUntilThereIsWork() {
    PoolHarness pool = PoolHarness.up(settings(2, 2));
    pool.offer(0);
    pool.pool.yield(pool.now);
    pool.carry();
    assertThat(pool.told).hasSize(1);
    pool.buried();
    pool.after(100_000);
    assertThat(pool.started).hasSize(2);

    pool.offer(1);
    assertThat(pool.started).hasSize(3);
  }

  @Test
  void withoutDevicesItAsksAgainAndThenGivesItsTasksBack() {
    PoolHarness pool = new PoolHarness(settings(0, 1));
    pool.noDevices = Optional.of("0 of 1 GPUs are free");
    pool.offer(0);
    pool.offer(1);
    long asked = pool.done.stream().filter(PoolEffect.Start.class::isInstance).count();
    pool.after(Supply.PAUSE);
    assertThat(pool.done.stream().filter(PoolEffect.Start.class::isInstance).count())
        .isEqualTo(asked + 1);
    assertThat(pool.ends).isEmpty();
    pool.after(10_000);
    assertThat(pool.ends.values()).hasSize(2).allMatch(TaskEnd.Returned.class::isInstance);
    assertThat(pool.report().status()).isEqualTo(PoolStatus.SERVING);

    pool.noDevices = Optional.empty();
    pool.offer(2);
    pool.after(Supply.PAUSE);
    pool.readyAll();
    pool.done(2);
  }

  @Test
  void aLapsedLeaseLeavesNoProcess() {
    PoolHarness pool = PoolHarness.up(settings(2, 2));
    pool.offer(0);
    pool.pool.lapse(pool.now);
    pool.carry();
    assertThat(pool.killed).hasSize(2);
    pool.noDevices = Optional.of("its host has no lease");
    pool.buried();
    assertThat(pool.pool.empty()).isTrue();
    assertThat(pool.ends.get(task(0))).isInstanceOf(TaskEnd.Returned.class);
  }

  @Test
  void everyProcessHasASeedOfItsOwn() {
    Set<Long> seeds = new HashSet<>();
    for (int process = 1; process <= 10_000; process++) {
      long seed = Seeds.of(-7, process);
      assertThat(seed).isBetween(0L, 1L << 53);
      assertThat(seeds.add(seed)).isTrue();
    }
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
    next.lost(task(2), 0);
    next.lost(task(3), 0);
    assertThat(next.report().idle()).isTrue();
    assertThat(next.report().failed()).isEqualTo(4);
    next.open(0);
    assertThat(next.report().status()).isEqualTo(PoolStatus.STARTING);
    assertThat(next.offer(task(4), 0)).isTrue();
  }
}
