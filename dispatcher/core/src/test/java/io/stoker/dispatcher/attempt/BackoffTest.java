package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BackoffTest {
  private static final Backoff EXACT = new Backoff(1_000, 2, 60_000, 0);

  private final Scene scene = new Scene(EXACT);

  @ParameterizedTest
  @CsvSource({"1, 1000", "2, 2000", "3, 4000", "6, 32000", "7, 60000", "1000, 60000"})
  void itDoublesWithEachFailureUpToTheMost(int failures, long wait) {
    assertThat(EXACT.waitMs("job", 1, failures)).isEqualTo(wait);
  }

  @Test
  void failuresOfAllCategoriesCount() {
    scene.post(aRequest("a"));
    JobRow job =
        scene
            .job("a")
            .change()
            .failure(FailureCategory.GPU_OOM, "h1", List.of())
            .build()
            .change()
            .failure(FailureCategory.DEVICE_FAULT, "h1", List.of())
            .build();

    assertThat(EXACT.waitMs(job)).isEqualTo(2_000);
  }

  @Test
  void chanceTakesAwayItsPartAndNoMoreAndIsTheSameForTheSameAttempt() {
    Backoff jittered = new Backoff(1_000, 2, 60_000, 0.5);
    long[] waits =
        IntStream.range(0, 1_000).mapToLong(nr -> jittered.waitMs("job-" + nr, 1, 1)).toArray();

    assertThat(LongStream.of(waits)).allMatch(wait -> wait >= 500 && wait <= 1_000);
    assertThat(LongStream.range(0, 5).map(fifth -> in(waits, fifth)))
        .as("each tenth of a second takes about a fifth")
        .allMatch(count -> count > 140 && count < 260);
    assertThat(jittered.waitMs("job-7", 1, 1)).isEqualTo(waits[7]);
    assertThat(jittered.waitMs("job-7", 1, 9)).isBetween(30_000L, 60_000L);
  }

  private static long in(long[] waits, long fifth) {
    long from = 500 + 100 * fifth;
    return IntStream.range(0, waits.length)
        .filter(nr -> waits[nr] >= from && waits[nr] < from + 100)
        .count();
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 2, 1, 0, first",
    "1, 0.5, 1, 0, factor",
    "1, NaN, 1, 0, factor",
    "1, 2, -1, 0, most",
    "1, 2, 1, 1.1, jitter",
    "1, 2, 1, -0.1, jitter"
  })
  void whatMakesNoSenseIsRefusedByName(
      long first, double factor, long most, double jitter, String named) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Backoff(first, factor, most, jitter))
        .withMessageContaining("stoker.retry.backoff")
        .withMessageContaining(named);
  }

  @ParameterizedTest
  @EnumSource
  void aFailedJobWaitsOutOfLineUnlessItsHostWasLost(FailureCategory category) {
    scene.post(aRequest("a").retry(category.key(), 1));
    scene.run("a");

    scene.report("a", Type.ENDED, Outcome.FAILED, category);

    boolean waits = category != FailureCategory.HOST_LOST;
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.inLine("a")).isEqualTo(!waits);
    assertThat(scene.store().backoffs()).hasSize(waits ? 1 : 0);
    if (waits) {
      assertThat(scene.reason("a"))
          .contains("attempt 2 follows, and waits until 1970-01-01T00:16:41Z after the " + category)
          .endsWith(" of attempt 1");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RETURNED", "LOST"})
  void whatIsNoFaultOfTheJobWaitsNothing(Outcome outcome) {
    scene.post(aRequest("a"));
    scene.run("a");

    scene.report("a", Type.ENDED, outcome, null);

    assertThat(scene.inLine("a")).isTrue();
    assertThat(scene.store().backoffs()).isEmpty();
  }

  @Test
  void itGetsInLineWhenItsTimeHasComeAndNotBefore() {
    failedOnce("a");

    scene.store().pass(999);
    scene.retriesDue();
    assertThat(scene.inLine("a")).isFalse();
    scene.store().pass(1);
    scene.retriesDue();

    assertThat(scene.inLine("a")).isTrue();
    assertThat(scene.store().backoffs()).isEmpty();
    assertThat(scene.job("a").retryAt()).isNull();
    scene.succeed("a");
    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void whatEndsWhileItWaitsDoesNotComeBack() {
    failedOnce("a");

    scene.cancel("a");

    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.store().backoffs()).isEmpty();
  }

  @Test
  void onlyTheFirstRequestLeavesAndTheOthersJobStillComesBack() {
    scene.post(aRequest("a").retry("app", 1), aRequest("b").meaning("a"));
    scene.fail("a");

    scene.cancel("a");
    scene.store().pass(1_000);
    scene.retriesDue();

    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.inLine("b")).isTrue();
  }

  @Test
  void aSharerOfHigherPriorityDoesNotCutTheWaitShort() {
    failedOnce("a");

    scene.post(aRequest("b").meaning("a").priority(7));
    assertThat(scene.inLine("b")).isFalse();
    scene.store().pass(1_000);
    scene.retriesDue();

    assertThat(scene.store().ready().get(scene.job("a").id()).priority()).isEqualTo(7);
  }

  @Test
  void anAlarmOfAnEarlierWaitDoesNotCutALaterOneShort() {
    scene.post(aRequest("a").retry("app", 2));
    scene.fail("a");
    var first = scene.store().backoffs();
    scene.store().pass(1_000);
    scene.retriesDue();
    scene.fail("a");

    UnitOfWork late = scene.retriesDue(first);

    assertThat(late.madeReady()).isEmpty();
    assertThat(scene.store().backoffs()).singleElement().extracting("dueAt").isEqualTo(1_003_000L);
  }

  private void failedOnce(String id) {
    scene.post(aRequest(id).retry("app", 1));
    scene.fail(id);
    assertThat(scene.inLine(id)).isFalse();
  }
}
