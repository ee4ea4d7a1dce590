package io.stoker.agent.pool;

import static io.stoker.agent.pool.PoolHarness.settings;
import static io.stoker.agent.pool.PoolHarness.task;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How workers come, go, and are replaced: the test plays them. */
class PoolWorkersTest {
  private static final List<String> COMMAND = List.of("worker");

  private static PoolSettings noRestart(int workers) {
    PoolSettings standard = settings(workers, workers);
    return new PoolSettings(
        "p",
        COMMAND,
        Map.of(),
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
  void aWorkerThatIsNotToBeStartedAgainIsNotLookedAfter() {
    PoolHarness pool = new PoolHarness(noRestart(2));
    pool.tick();
    pool.ready(pool.started.get(0));
    pool.gone(pool.started.get(1));
    assertThat(pool.pool.nextTick()).isEmpty();
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
    for (int i = 1; i <= StartBackoff.MOST_FAILURES; i++) {
      assertThat(pool.started).hasSize(i);
      pool.gone(pool.started.getLast());
      pool.after(100_000);
    }
    assertThat(pool.started).hasSize(StartBackoff.MOST_FAILURES);
    assertThat(pool.report().status()).isEqualTo(PoolStatus.FAILED);
    assertThat(pool.ends.get(task(0))).isInstanceOf(TaskEnd.Returned.class);
  }

  @Test
  void aPoolIsNotGivenUpWhileAWorkerOfItStartsForTheFirstTime() {
    int workers = StartBackoff.MOST_FAILURES + 1;
    PoolHarness pool = new PoolHarness(settings(workers, workers));
    pool.offer(0);
    assertThat(pool.started).hasSize(workers);
    int last = pool.started.getLast();
    pool.started.stream().filter(process -> process != last).toList().forEach(pool::gone);

    assertThat(pool.report().status()).isEqualTo(PoolStatus.STARTING);
    assertThat(pool.ends).isEmpty();
    pool.ready(last);
    pool.done(0);
  }

  @Test
  void aPoolIsGivenUpOnceItsLastWorkerHasNotComeEither() {
    int workers = StartBackoff.MOST_FAILURES + 1;
    PoolHarness pool = new PoolHarness(settings(workers, workers));
    pool.offer(0);
    List.copyOf(pool.started).forEach(pool::gone);

    assertThat(pool.report().status()).isEqualTo(PoolStatus.FAILED);
    assertThat(pool.ends.get(task(0))).isInstanceOf(TaskEnd.Returned.class);
  }

  @Test
  void aWorkerThatIsLateAndCannotBeKilledKeepsNoPoolFromBeingGivenUp() {
    PoolHarness pool = new PoolHarness(settings(2, 2));
    pool.offer(0);
    int stuck = pool.started.getFirst();
    pool.after(PoolSettings.TIME_OUT);
    assertThat(pool.killed).contains(stuck);
    for (int i = 1; i <= StartBackoff.MOST_FAILURES; i++) {
      pool.gone(pool.started.getLast());
      pool.after(100_000);
    }

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
    pool.after(StartBackoff.PAUSE);
    assertThat(pool.done.stream().filter(PoolEffect.Start.class::isInstance).count())
        .isEqualTo(asked + 1);
    assertThat(pool.ends).isEmpty();
    pool.after(10_000);
    assertThat(pool.ends.values()).hasSize(2).allMatch(TaskEnd.Returned.class::isInstance);
    assertThat(pool.report().status()).isEqualTo(PoolStatus.SERVING);

    pool.noDevices = Optional.empty();
    pool.offer(2);
    pool.after(StartBackoff.PAUSE);
    pool.readyAll();
    pool.done(2);
  }

  @Test
  void tasksStayForAWorkerThatIsGrantedBeforeTheyAreGivenBack() {
    PoolHarness pool = new PoolHarness(settings(0, 1));
    pool.noDevices = Optional.of("0 of 1 GPUs are free");
    pool.offer(0);
    pool.after(PoolSettings.TIME_OUT - 2 * StartBackoff.PAUSE);
    pool.noDevices = Optional.empty();
    pool.after(StartBackoff.PAUSE);
    assertThat(pool.started).hasSize(1);
    pool.after(PoolSettings.TIME_OUT - 1);

    assertThat(pool.ends).isEmpty();
    pool.readyAll();
    pool.done(0);
  }

  @Test
  void tasksAreGivenBackWhereEachWorkerThatIsGrantedIsRefusedInTheEnd() {
    PoolHarness pool = new PoolHarness(settings(0, 1));
    pool.offer(0);
    for (long waited = 0; waited <= 2 * PoolSettings.TIME_OUT; waited += StartBackoff.PAUSE) {
      pool.pool.refused(pool.started.getLast(), "there is no spawner", pool.now);
      pool.carry();
      pool.after(StartBackoff.PAUSE);
    }

    assertThat(pool.ends.get(task(0))).isInstanceOf(TaskEnd.Returned.class);
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
  void aWorkerThatIsKilledBeforeItIsStartedLeavesItsPlaceToAnother() {
    PoolHarness pool = new PoolHarness(settings(1, 1));
    pool.tick();
    int first = pool.started.getFirst();
    pool.pool.lapse(pool.now);
    pool.carry();
    assertThat(pool.killed).containsExactly(first);

    pool.pool.refused(first, "it was ended before it began", pool.now);
    pool.carry();

    assertThat(pool.pool.empty()).as("another one is asked for").isFalse();
    assertThat(pool.started).hasSize(2);
    pool.offer(0);
    pool.ready(pool.started.getLast());
    pool.done(0);
  }

  @Test
  void aWorkerThatIsReadyWhenItIsKilledForBeingLateIsGivenNothing() {
    PoolHarness pool = new PoolHarness(settings(1, 1));
    pool.tick();
    int first = pool.started.getFirst();
    pool.offer(0);
    pool.after(PoolSettings.TIME_OUT);
    assertThat(pool.killed).containsExactly(first);

    pool.ready(first);
    assertThat(pool.isRunning(0)).isFalse();
    pool.gone(first);
    assertThat(pool.ends).isEmpty();
    assertThat(pool.report().crashes()).isZero();

    pool.after(2 * StartBackoff.PAUSE);
    pool.ready(pool.started.getLast());
    pool.done(0);
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
}
