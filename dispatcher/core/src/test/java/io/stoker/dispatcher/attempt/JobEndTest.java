package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.AnEvent;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class JobEndTest {
  private final Scene scene = new Scene();

  @ParameterizedTest
  @EnumSource
  void aCategoryHasItsNumberOfAttemptsAndNoMore(FailureCategory category) {
    scene.post(aRequest("a"));

    for (int used = 1; used < category.defaultAttempts(); used++) {
      failOnce(category);
      assertThat(scene.state("a")).as("after %d failures", used).isEqualTo(RequestState.QUEUED);
      assertThat(scene.inLine("a")).isTrue();
      assertThat(scene.reason("a")).endsWith("; attempt " + (used + 1) + " follows");
    }
    failOnce(category);

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.of(category));
    assertThat(scene.job("a").latest().number()).isEqualTo(category.defaultAttempts());
    assertThat(scene.inLine("a")).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void retriesAskedForReplaceTheDefault(FailureCategory category) {
    scene.post(aRequest("a").retry(category.key(), 1));

    failOnce(category);
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    failOnce(category);

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
  }

  @Test
  void categoriesAreCountedApart() {
    scene.post(aRequest("a"));

    failOnce(FailureCategory.GPU_OOM);
    failOnce(FailureCategory.GPU_OOM);
    failOnce(FailureCategory.HOST_OOM);
    failOnce(FailureCategory.HOST_OOM);

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("a").latest().number()).isEqualTo(4);
  }

  @Test
  void aHostThatFailedAJobIsRememberedOnce() {
    scene.post(aRequest("a"));

    failOnce(FailureCategory.GPU_OOM);
    failOnce(FailureCategory.GPU_OOM);

    assertThat(scene.job("a").setbacks().avoid().hosts()).containsExactly("h1");
  }

  @Test
  void theDevicesThatFailedItAreRememberedWithTheirHost() {
    scene.post(aRequest("a").gpus(1));
    failOn("h1", "1", FailureCategory.GPU_OOM);
    failOn("h1", "0", FailureCategory.GPU_OOM);

    assertThat(scene.job("a").setbacks().avoid().devices())
        .isEqualTo(Map.of("h1", List.of("1", "0")));
  }

  @Test
  void theDevicesOfAHostThatWasLostAreNotAtFault() {
    scene.post(aRequest("a").gpus(1));
    failOn("h1", "1", FailureCategory.HOST_LOST);

    assertThat(scene.job("a").setbacks().avoid().devices()).isEqualTo(Map.of("h1", List.of()));
  }

  private void failOn(String host, String device, FailureCategory category) {
    AttemptRow attempt = scene.placeOnGpu("a", host);
    Outcome outcome = category == FailureCategory.HOST_LOST ? Outcome.LOST : Outcome.FAILED;
    AnEvent ended = AnEvent.ended(attempt, outcome).category(category).devices(device);
    scene.transaction(unit -> AttemptReports.apply(unit, List.of(ended.report()), Backoff.NONE));
  }

  @Test
  void theJobsOfAGroupUseItsRetriesTogetherAndThenFailuresAreFinal() {
    scene.store().limitRetries("g", 2);
    scene.post(
        aRequest("a").with("group", "g").retry("app", 5),
        aRequest("b").with("group", "g").retry("app", 5),
        aRequest("c").with("group", "other").retry("app", 5));

    scene.fail("a");
    scene.fail("b");
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
    scene.fail("a");
    scene.fail("c");

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.APP_FAILURE);
    assertThat(scene.reason("a"))
        .endsWith("no retry follows, since its group g has used the 2 that its jobs have together");
    assertThat(scene.state("c")).as("of another group").isEqualTo(RequestState.QUEUED);
    assertThat(scene.store().budget("g").used()).isEqualTo(2);
  }

  @Test
  void aGroupWithoutRetriesHasNone() {
    scene.store().limitRetries("g", 0);
    scene.post(aRequest("a").with("group", "g").retry("app", 5));

    scene.fail("a");

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
  }

  @ParameterizedTest
  @CsvSource({"RETURNED, ", "LOST, ", "FAILED, HOST_LOST"})
  void whatIsNoFaultOfTheJobCostsItsGroupNothing(Outcome outcome, FailureCategory category) {
    scene.store().limitRetries("g", 0);
    scene.post(aRequest("a").with("group", "g"));
    scene.run("a");

    scene.report("a", Type.ENDED, outcome, category);

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.store().budget("g").used()).isZero();
  }

  @Test
  void whatHasNoAttemptsLeftCostsItsGroupNothing() {
    scene.store().limitRetries("g", 1);
    scene.post(aRequest("a").with("group", "g"));

    scene.fail("a");

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.reason("a")).doesNotContain("group");
    assertThat(scene.store().budget("g").used()).isZero();
  }

  @Test
  void aRetryShowsNothingOfTheAttemptBefore() {
    scene.post(aRequest("a"));
    failOnce(FailureCategory.GPU_OOM);

    scene.run("a");

    assertThat(scene.status("a").attempt()).isEqualTo(2);
    assertThat(scene.status("a").reason()).isNull();
    assertThat(scene.status("a").exitCode()).isNull();
    assertThat(scene.status("a").code()).isNull();
  }

  @Test
  void aJobThatWasToldToEndIsNotTriedAgain() {
    scene.post(aRequest("a"));
    scene.run("a");
    scene.cancel("a");

    scene.report("a", Type.ENDED, Outcome.FAILED, FailureCategory.GPU_OOM);

    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.code("a")).isEqualTo(Code.CANCELLED);
  }

  @Test
  void theSuccessorOfASucceededJobIsAnsweredByIt() {
    endingWithSuccessor();

    scene.report("a", Type.ENDED, Outcome.SUCCEEDED, null);

    assertThat(scene.state("b")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("c")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("after-b")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("b").role()).isEqualTo(Role.NONE);
    assertThat(scene.job("a").role()).isEqualTo(Role.HOLDER);
    assertThat(scene.store().takeDue()).contains("b", "c", "after-b");
  }

  @Test
  void theSuccessorOfAJobThatEndsOtherwiseTakesItsPlace() {
    endingWithSuccessor();

    scene.report("a", Type.ENDED, Outcome.CANCELLED, null);

    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.job("b").role()).isEqualTo(Role.HOLDER);
    assertThat(scene.inLine("b")).isTrue();
    assertThat(scene.reason("b")).isNull();
    assertThat(scene.store().takeDue()).contains("b", "c");
    scene.succeed("b");
    assertThat(scene.state("c")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("after-b")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void aSucceededJobStaysTheAnswerOfItsMeaning() {
    scene.post(aRequest("a"));
    scene.succeed("a");

    assertThat(scene.job("a").role()).isEqualTo(Role.HOLDER);
  }

  @Test
  void aFailedJobAnswersNobody() {
    scene.post(aRequest("a"));
    scene.fail("a");

    assertThat(scene.job("a").role()).isEqualTo(Role.NONE);
  }

  @Test
  void theEndOfAJobIsTimed() {
    scene.post(aRequest("a"));
    scene.store().pass(1234);
    scene.succeed("a");

    assertThat(scene.job("a").endedAt()).isEqualTo(scene.store().now());
  }

  /** {@code a} runs and is told to end; {@code b}, shared by {@code c}, waits for that. */
  private void endingWithSuccessor() {
    scene.post(same("a"));
    scene.run("a");
    scene.cancel("a");
    scene.post(same("b"), same("c"), aRequest("after-b").dependsOn("b"));
    scene.store().takeDue();
  }

  private static ARequest same(String id) {
    return aRequest(id).meaning("the same");
  }

  private void failOnce(FailureCategory category) {
    scene.run("a");
    scene.report("a", Type.ENDED, Outcome.FAILED, category);
  }
}
