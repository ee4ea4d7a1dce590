package io.stoker.dispatcher.runtime;

import static io.stoker.dispatcher.scenario.SmallStore.only;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CoalescingTaskTest {
  private static final Environment ENVIRONMENT =
      Environment.ofProcess(Fault::ofOther, Environment::atOnce);

  private final List<UniEmitter<? super Boolean>> runs = new ArrayList<>();
  private final CoalescingTask task =
      new CoalescingTask(
          "test", ENVIRONMENT, () -> Uni.createFrom().emitter(emitter -> runs.add(emitter)));

  @Test
  void aWakeRunsTheWork() {
    task.wake();

    assertThat(runs).hasSize(1);
  }

  @Test
  void oneRunAtATimeAndOneMoreForAFloodOfWakes() {
    task.wake();
    for (int i = 0; i < 1000; i++) {
      task.wake();
    }
    assertThat(runs).hasSize(1);

    runs.get(0).complete(false);
    assertThat(runs).hasSize(2);
    runs.get(1).complete(false);

    assertThat(runs).hasSize(2);
  }

  @Test
  void aRunIsToldOfUntilItEnds() {
    String name = "told-" + System.nanoTime();
    CoalescingTask told =
        new CoalescingTask(
            name, ENVIRONMENT, () -> Uni.createFrom().emitter(emitter -> runs.add(emitter)));
    told.wake();
    assertThat(Runs.longerThan(Duration.ZERO)).anyMatch(run -> run.startsWith(name));
    assertThat(Runs.longerThan(Duration.ofHours(1))).noneMatch(run -> run.startsWith(name));

    runs.get(0).complete(true);
    assertThat(Runs.longerThan(Duration.ZERO)).anyMatch(run -> run.startsWith(name));
    runs.get(1).fail(new IllegalStateException("on purpose"));

    assertThat(Runs.longerThan(Duration.ZERO)).noneMatch(run -> run.startsWith(name));
  }

  @Test
  void itRunsOnWhileThereIsMore() {
    task.wake();
    runs.get(0).complete(true);
    runs.get(1).complete(true);
    runs.get(2).complete(false);

    assertThat(runs).hasSize(3);
  }

  @Test
  void aWakeDuringTheLastOfSeveralRunsIsNotLost() {
    task.wake();
    runs.get(0).complete(true);
    task.wake();
    runs.get(1).complete(false);

    assertThat(runs).hasSize(3);
  }

  @Test
  void afterARestItWakesAgain() {
    task.wake();
    runs.get(0).complete(true);
    runs.get(1).complete(false);

    task.wake();

    assertThat(runs).hasSize(3);
  }

  @Test
  void aFailureWaitsForTheNextWake() {
    task.wake();
    runs.get(0).fail(new IllegalStateException("on purpose"));
    assertThat(runs).hasSize(1);

    task.wake();

    assertThat(runs).hasSize(2);
  }

  @Test
  void workThatThrowsIsAFailureToo() {
    List<String> calls = new ArrayList<>();
    CoalescingTask throwing =
        new CoalescingTask(
            "test",
            ENVIRONMENT,
            () -> {
              calls.add("called");
              throw new IllegalStateException("on purpose");
            });

    throwing.wake();
    throwing.wake();

    assertThat(calls).hasSize(2);
  }

  @Test
  void aStoppedPumpRunsNoMore() {
    task.wake();
    task.wake();
    task.stop();

    runs.get(0).complete(true);

    assertThat(runs).hasSize(1);
  }

  @Test
  void theFirstRunAfterARestStartsAtOnceAndTheNextOneKeepsApart() {
    long apart = Duration.ofSeconds(2).toNanos();
    AtomicLong now = new AtomicLong(7);
    AtomicInteger starts = new AtomicInteger();
    List<Runnable> later = new ArrayList<>();
    List<Object> waits = new ArrayList<>();
    ScheduledExecutorService timer =
        only(
            ScheduledExecutorService.class,
            Map.of(
                "schedule",
                given -> {
                  later.add((Runnable) given[0]);
                  waits.addAll(List.of(given[1], given[2]));
                  return null;
                }));
    CoalescingTask paced =
        new CoalescingTask(
            "test",
            only(Environment.class, Map.of("nanos", none -> now.get(), "timer", none -> timer)),
            () -> {
              starts.incrementAndGet();
              return Uni.createFrom().item(false);
            },
            () -> apart);

    paced.wake();
    assertThat(starts).as("starts on the thread that woke it").hasValue(1);
    now.addAndGet(apart - 5);
    paced.wake();
    paced.wake();
    assertThat(starts).hasValue(1);
    assertThat(waits).containsExactly(5L, TimeUnit.NANOSECONDS);

    now.addAndGet(5);
    later.getFirst().run();
    assertThat(starts).hasValue(2);
    assertThat(later).as("two wakes in the meantime are one run").hasSize(1);

    now.addAndGet(apart);
    paced.wake();
    assertThat(starts).as("after a rest").hasValue(3);
  }
}
