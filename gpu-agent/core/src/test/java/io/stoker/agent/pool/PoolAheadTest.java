package io.stoker.agent.pool;

import static io.stoker.agent.pool.PoolHarness.settings;
import static io.stoker.agent.pool.PoolHarness.task;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a worker is told before its turn, if it can be. */
class PoolAheadTest {
  private static final int AHEAD = 4;

  /** Two workers that have had short tasks. */
  private static PoolHarness warm(int workers, int ahead) {
    PoolSettings some = settings(workers, workers);
    PoolHarness pool =
        new PoolHarness(
            new PoolSettings(
                "p",
                List.of("worker"),
                Map.of(),
                Map.of(),
                Optional.empty(),
                workers,
                workers,
                20,
                50,
                some.idle(),
                some.start(),
                some.close(),
                true,
                0,
                OptionalLong.empty(),
                0));
    pool.tick();
    List.copyOf(pool.started).forEach(process -> pool.ready(process, ahead));
    for (int warm = 100; warm < 100 + workers; warm++) {
      pool.offer(warm);
      pool.now += 2;
      pool.done(warm);
    }
    pool.deliver();
    pool.done.clear();
    return pool;
  }

  private static List<Integer> told(PoolHarness pool) {
    return pool.done.stream()
        .filter(PoolEffect.Give.class::isInstance)
        .map(effect -> Integer.parseInt(((PoolEffect.Give) effect).task().job().substring(1)))
        .toList();
  }

  private static List<PoolEffect.Begun> begun(PoolHarness pool) {
    return pool.done.stream()
        .filter(PoolEffect.Begun.class::isInstance)
        .map(PoolEffect.Begun.class::cast)
        .toList();
  }

  @Test
  void aWorkerThatSaysSoIsToldShortTasksAhead() {
    PoolHarness pool = warm(1, AHEAD);

    IntStream.range(0, 8).forEach(pool::offer);

    assertThat(told(pool)).containsExactly(0, 1, 2, 3, 4);
    assertThat(begun(pool)).isEmpty();
    pool.done(0);
    assertThat(begun(pool)).containsExactly(new PoolEffect.Begun(task(1)));
    assertThat(told(pool)).endsWith(5);
  }

  @Test
  void aWorkerThatDoesNotSayHasOneAtATime() {
    PoolHarness pool = warm(1, 0);

    IntStream.range(0, 8).forEach(pool::offer);

    assertThat(told(pool)).containsExactly(0);
  }

  @Test
  void longTasksAreNotToldAhead() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 40)
        .forEach(
            number -> {
              pool.offer(number);
              pool.now += 100;
              pool.done(number);
              pool.deliver();
            });
    pool.done.clear();

    IntStream.range(40, 45).forEach(pool::offer);

    assertThat(told(pool)).containsExactly(40);
  }

  @Test
  void nothingIsToldAheadWhileAnotherWorkerIsIdleOrTheOneAtHandTakesLong() {
    PoolHarness pool = warm(2, AHEAD);
    pool.offer(0);
    pool.offer(1);
    assertThat(told(pool)).containsExactly(0, 1);
    assertThat(pool.running).hasSize(2);

    pool.now += 50;
    IntStream.range(2, 6).forEach(pool::offer);

    assertThat(told(pool)).containsExactly(0, 1);
  }

  @Test
  void onlyTheFirstIsBlamedForACrashAndTheOthersRunElsewhereInOrder() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 4).forEach(pool::offer);
    pool.answer(0, new Answer.Begun());

    pool.gone(pool.runs(0));

    assertThat(pool.ends).containsKey(task(0)).doesNotContainKeys(task(1), task(2), task(3));
    assertThat(pool.ends.get(task(0))).isEqualTo(new TaskEnd.Crashed("killed by signal 9"));
    assertThat(pool.done)
        .contains(
            new PoolEffect.Back(task(1)),
            new PoolEffect.Back(task(2)),
            new PoolEffect.Back(task(3)));
    pool.done.clear();
    pool.ready(pool.started.getLast(), AHEAD);
    assertThat(told(pool)).startsWith(1, 2, 3);
    IntStream.range(1, 4).forEach(pool::done);
    assertThat(pool.report().idle()).isTrue();
  }

  @Test
  void oneThatItsWorkerHadNotBegunIsNotToBlameForTheWorkersEnd() {
    PoolHarness pool = warm(1, AHEAD);
    pool.offer(0);
    pool.offer(1);

    pool.gone(pool.runs(0));

    assertThat(pool.ends)
        .containsEntry(
            task(0), new TaskEnd.Lost("its worker ended before it began it: killed by signal 9"))
        .doesNotContainKey(task(1));
  }

  @Test
  void aWorkerThatSaysNothingOfWhatItBeginsEndsWithWhatItWasTold() {
    PoolHarness pool = warm(1, 0);
    pool.offer(0);

    pool.gone(pool.runs(0));

    assertThat(pool.ends).containsEntry(task(0), new TaskEnd.Crashed("killed by signal 9"));
  }

  @Test
  void oneThatWasBegunIsNeverHandedOn() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 3).forEach(pool::offer);
    pool.pool.remove(task(0), false, pool.now);
    pool.answer(1, new Answer.Begun()); // it had answered 0 before it was killed

    pool.buried();

    assertThat(pool.ends.get(task(0))).isEqualTo(new TaskEnd.Removed(false));
    assertThat(pool.ends.get(task(1))).isInstanceOf(TaskEnd.Lost.class);
    assertThat(pool.ends).doesNotContainKey(task(2));
    pool.ready(pool.started.getLast(), AHEAD);
    assertThat(pool.isRunning(2)).isTrue();
    assertThat(pool.isRunning(1)).isFalse();
  }

  @Test
  void oneThatIsCancelledAndBegunIsTakenOutWithAWorkerThatDiesOfTheJobBeforeIt() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 2).forEach(pool::offer);
    pool.answer(0, new Answer.Begun());
    pool.pool.remove(task(1), false, pool.now);
    pool.answer(1, new Answer.Begun());

    pool.gone(pool.runs(0));

    assertThat(pool.ends)
        .containsEntry(task(0), new TaskEnd.Crashed("killed by signal 9"))
        .containsEntry(task(1), new TaskEnd.Removed(false));
    assertThat(pool.report().failed()).as("the first one alone").isEqualTo(1);
  }

  @Test
  void oneThatIsCancelledLeavesWhenItsWorkerSaysThatItDoesNotBeginIt() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 3).forEach(pool::offer);

    pool.pool.remove(task(1), false, pool.now);
    pool.carry();

    assertThat(pool.done).anyMatch(PoolEffect.Withdraw.class::isInstance);
    assertThat(pool.ends).doesNotContainKey(task(1));
    pool.answer(1, new Answer.Withdrawn());
    assertThat(pool.ends.get(task(1))).isEqualTo(new TaskEnd.Withdrawn());
    pool.done(0);
    pool.done(2);
    assertThat(pool.killed).isEmpty();
    assertThat(pool.report().idle()).isTrue();
  }

  @Test
  void oneThatIsCancelledAndFailsBeforeItsWorkerHearsOfThatCountsAsItsAttemptEnds() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 2).forEach(pool::offer);
    pool.pool.remove(task(1), false, pool.now);
    pool.done(0);

    pool.answer(1, new Answer.Failed("wrong"));

    assertThat(pool.ends.get(task(1))).isEqualTo(new TaskEnd.Removed(false));
    assertThat(pool.report().failed()).isZero();
    assertThat(pool.killed).isEmpty();
  }

  @Test
  void oneThatIsCancelledAndBegunAllTheSameEndsWithItsWorker() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 3).forEach(pool::offer);
    pool.pool.remove(task(1), false, pool.now);
    pool.done(0);
    assertThat(pool.killed).isEmpty();

    pool.answer(1, new Answer.Begun());

    assertThat(pool.killed).hasSize(1);
    pool.buried();
    assertThat(pool.ends.get(task(1))).isEqualTo(new TaskEnd.Removed(false));
    assertThat(pool.ends).doesNotContainKey(task(2));
  }

  @Test
  void aWorkerThatSaysNothingOfWhatWasTakenBackIsKilledInTime() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 3).forEach(pool::offer);
    pool.pool.remove(task(1), false, pool.now);
    pool.done(0);

    pool.after(WorkerProcesses.WITHDRAWING - 1);
    assertThat(pool.killed).isEmpty();
    assertThat(pool.pool.nextTick()).hasValue(pool.now + 1);
    pool.after(1);

    assertThat(pool.killed).hasSize(1);
    pool.buried();
    assertThat(pool.ends.get(task(1))).isEqualTo(new TaskEnd.Withdrawn());
    assertThat(pool.ends).doesNotContainKey(task(2));
  }

  @Test
  void nobodyWithdrawsWhatHeWasNotTold() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 2).forEach(pool::offer);
    int process = pool.runs(1);

    pool.pool.answered(
        process,
        pool.running.get(process).keySet().stream().toList().get(1),
        new Answer.Withdrawn(),
        pool.now);
    pool.carry();

    assertThat(pool.ends).doesNotContainKey(task(1));
    assertThat(pool.isRunning(1)).isTrue();
  }

  @Test
  void aResetEndsWhatWasToldAheadWithTheSession() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 3).forEach(pool::offer);

    pool.pool.reset(pool.now);
    pool.carry();
    pool.buried();

    for (int each = 0; each < 3; each++) {
      assertThat(pool.ends.get(task(each))).isEqualTo(new TaskEnd.Reset());
    }
  }

  @Test
  void aResetEndsWhatWasToldAheadToAWorkerThatWasBeingKilled() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 3).forEach(pool::offer);
    pool.pool.remove(task(0), false, pool.now);

    pool.pool.reset(pool.now);
    pool.carry();
    pool.buried();

    assertThat(pool.ends.get(task(0))).isEqualTo(new TaskEnd.Removed(false));
    assertThat(pool.ends.get(task(1))).isEqualTo(new TaskEnd.Reset());
    assertThat(pool.ends.get(task(2))).isEqualTo(new TaskEnd.Reset());
  }

  /** Whoever hears of its end may run it again. */
  @Test
  void aJobOfWhichNobodyKnowsWhetherItIsOverFailsOnceItsWorkerIsGone() {
    PoolHarness pool = warm(1, AHEAD);
    IntStream.range(0, 3).forEach(pool::offer);
    int process = pool.runs(0);

    pool.pool.answered(process, lowest(pool, process), new Answer.Unclear("no JSON"), pool.now);
    pool.carry();

    assertThat(pool.killed).containsExactly(process);
    assertThat(pool.ends).doesNotContainKey(task(0));

    pool.buried();

    assertThat(pool.ends)
        .containsEntry(task(0), new TaskEnd.Answered(new Answer.Failed("no JSON")));
    assertThat(pool.ends).doesNotContainKeys(task(1), task(2));
    assertThat(pool.report().crashes()).isZero();
  }

  private static long lowest(PoolHarness pool, int process) {
    return pool.running.get(process).keySet().iterator().next();
  }
}
