package io.stoker.dispatcher.coordinator.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.EarlyStopPlan;
import io.stoker.dispatcher.experiment.EarlyStopPlan.Policy;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.Standing;
import io.stoker.dispatcher.experiment.Standing.Scores;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A verdict that does not come is waited for no longer than it may take. */
@Timeout(60)
class JudgingTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Plan PLAN =
      new Plan(
          true,
          Objective.MAX,
          null,
          false,
          List.of(),
          null,
          new EarlyStopPlan(Policy.CURVE_FITTING, 0, 1, 0.95, 9),
          null,
          null);

  private final CountDownLatch fitted = new CountDownLatch(1);
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final ScheduledExecutorService workers = Executors.newScheduledThreadPool(3);

  @AfterEach
  void stop() {
    fitted.countDown();
    workers.shutdownNow();
  }

  /** The fit of {@code endless} does not end while the test runs. */
  private Judging judging(Duration patience) {
    return new Judging(
        (plan, objective, own, scores, all) -> {
          if (own.job().equals("endless")) {
            await(fitted);
          }
          return Optional.of(own.job() + " is worse");
        },
        patience,
        workers,
        said::add);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Uni<Optional<String>> verdict(Judging judging, String job) {
    Standing own = new Standing(job, new Scores(7, 7, 1, 1), 1, OptionalDouble.empty());
    return judging.judge(PLAN, own, new double[7], List.of(own));
  }

  @Test
  void aFitThatDoesNotEndIsGivenUpAndTheJobGoesOn() {
    Judging judging = judging(Duration.ofMillis(20));

    assertThat(verdict(judging, "endless").await().atMost(LONG)).isEmpty();

    assertThat(said)
        .containsExactly(
            "job endless goes on: it was not judged by its first 7 results within 0 s");
  }

  @Test
  void whatComesTooLateIsNotHeardAndOthersAreJudgedMeanwhile() {
    Judging judging = judging(Duration.ofMillis(20));
    CompletableFuture<Optional<String>> late =
        verdict(judging, "endless").subscribeAsCompletionStage();

    assertThat(late.join()).isEmpty();
    assertThat(verdict(judging(LONG), "other").await().atMost(LONG)).contains("other is worse");
    fitted.countDown();
    // The worker is free again; what it found is nobody's verdict.
    assertThat(verdict(judging(LONG), "endless").await().atMost(LONG)).contains("endless is worse");
    assertThat(late.join()).isEmpty();
    assertThat(said).hasSize(1);
  }

  @Test
  void aVerdictInTimeIsTaken() {
    fitted.countDown();
    assertThat(verdict(judging(LONG), "endless").await().atMost(LONG)).contains("endless is worse");
    assertThat(said).isEmpty();
  }
}
