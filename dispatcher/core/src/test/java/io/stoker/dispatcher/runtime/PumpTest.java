package io.stoker.dispatcher.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PumpTest {
  private static final Environment ENVIRONMENT =
      Environment.ofProcess(Fault::ofOther, Environment::atOnce);

  private final List<UniEmitter<? super Boolean>> runs = new ArrayList<>();
  private final Pump pump =
      new Pump("test", ENVIRONMENT, () -> Uni.createFrom().emitter(emitter -> runs.add(emitter)));

  @Test
  void aWakeRunsTheWork() {
    pump.wake();

    assertThat(runs).hasSize(1);
  }

  @Test
  void oneRunAtATimeAndOneMoreForAFloodOfWakes() {
    pump.wake();
    for (int i = 0; i < 1000; i++) {
      pump.wake();
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
    Pump told =
        new Pump(name, ENVIRONMENT, () -> Uni.createFrom().emitter(emitter -> runs.add(emitter)));
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
    pump.wake();
    runs.get(0).complete(true);
    runs.get(1).complete(true);
    runs.get(2).complete(false);

    assertThat(runs).hasSize(3);
  }

  @Test
  void aWakeDuringTheLastOfSeveralRunsIsNotLost() {
    pump.wake();
    runs.get(0).complete(true);
    pump.wake();
    runs.get(1).complete(false);

    assertThat(runs).hasSize(3);
  }

  @Test
  void afterARestItWakesAgain() {
    pump.wake();
    runs.get(0).complete(true);
    runs.get(1).complete(false);

    pump.wake();

    assertThat(runs).hasSize(3);
  }

  @Test
  void aFailureWaitsForTheNextWake() {
    pump.wake();
    runs.get(0).fail(new IllegalStateException("on purpose"));
    assertThat(runs).hasSize(1);

    pump.wake();

    assertThat(runs).hasSize(2);
  }

  @Test
  void workThatThrowsIsAFailureToo() {
    List<String> calls = new ArrayList<>();
    Pump throwing =
        new Pump(
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
    pump.wake();
    pump.wake();
    pump.stop();

    runs.get(0).complete(true);

    assertThat(runs).hasSize(1);
  }

  @Test
  void theFirstRunAfterARestStartsAtOnceAndTheNextOneKeepsApart() throws Exception {
    long apart = Duration.ofMillis(200).toNanos();
    BlockingQueue<Long> starts = new LinkedBlockingQueue<>();
    Pump paced =
        new Pump(
            "test",
            ENVIRONMENT,
            () -> {
              starts.add(System.nanoTime());
              return Uni.createFrom().item(false);
            },
            () -> apart);

    paced.wake();
    assertThat(starts).as("starts on the thread that woke it").hasSize(1);
    paced.wake();
    paced.wake();

    long first = starts.poll(1, TimeUnit.MINUTES);
    long second = starts.poll(1, TimeUnit.MINUTES);
    assertThat(second - first).isGreaterThanOrEqualTo(apart);
    assertThat(starts).as("two wakes in the meantime are one run").isEmpty();
  }
}
