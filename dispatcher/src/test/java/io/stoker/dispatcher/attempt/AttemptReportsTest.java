package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.IntermediateRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.LaunchFailure;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.MemoryRow;
import io.stoker.dispatcher.scenario.AnEvent;
import io.stoker.dispatcher.scenario.Scene;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AttemptReportsTest {
  private final Scene scene = new Scene();
  private AttemptRow attempt;

  @BeforeEach
  void placeOne() {
    scene.post(aRequest("a"));
    attempt = scene.place("a", "h1");
  }

  @Test
  void anAcceptedAttemptIsStillPlacedAndNamesItsDevices() {
    apply(AnEvent.of(attempt, Type.ACCEPTED).devices("0", "1"));

    assertThat(scene.attempt("a").accepted()).isTrue();
    assertThat(scene.attempt("a").devices()).containsExactly("0", "1");
    assertThat(scene.state("a")).isEqualTo(RequestState.PLACED);
  }

  @Test
  void aRunningAttemptRunsItsRequests() {
    apply(AnEvent.of(attempt, Type.RUNNING).devices("0"));

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    assertThat(scene.status("a").devices()).containsExactly("0");
    assertThat(scene.status("a").host()).isEqualTo("h1");
    assertThat(scene.status("a").attempt()).isEqualTo(1);
  }

  @Test
  void progressIsShownWhileItRuns() {
    apply(
        AnEvent.of(attempt, Type.RUNNING).seq(1),
        AnEvent.of(attempt, Type.PROGRESS).seq(2).progress("0.5"));

    assertThat(scene.status("a").progress().doubleValue()).isEqualTo(0.5);
    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED).seq(3));
    assertThat(scene.status("a").progress()).isNull();
  }

  @Test
  void whatAnAttemptTookIsShownUntilTheNextOneIsPlaced() {
    Usage taken = new Usage(61_000L, 48_000L, 1L << 30, 6L << 30, 87, 61_000L, 21_000L);
    apply(
        AnEvent.ended(attempt, Outcome.FAILED)
            .category(FailureCategory.GPU_OOM)
            .exitCode(1)
            .usage(taken));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.status("a").usage()).isEqualTo(taken);
    scene.place("a", "h2");
    assertThat(scene.status("a").usage()).isNull();
  }

  @Test
  void thePeakOfAJobOnAGpuIsLearnedUnderItsMeaningAndItsProfile() {
    scene.post(aRequest("gpu").gpus(1));
    JobRow job = scene.job("gpu");
    AttemptRow onGpu = scene.placeOnGpu("gpu", "h1");
    Usage taken = new Usage(1L, 1L, 1L, 3L << 30, 1, 1L, 1L);

    Ledger ledger =
        scene.transaction(
            open ->
                AttemptReports.apply(
                    open,
                    List.of(AnEvent.ended(onGpu, Outcome.SUCCEEDED).usage(taken).report()),
                    Backoff.NONE));

    assertThat(ledger.learned())
        .extracting(MemoryRow::key, MemoryRow::peak)
        .containsExactly(
            tuple("equal " + job.fingerprint(), 3L << 30),
            tuple("like " + job.profile(), 3L << 30),
            tuple("host equal " + job.fingerprint(), 1L),
            tuple("host like 1 GPU(s) command: echo gpu", 1L));
  }

  @Test
  void hostMemoryThatRanOutIsLearnedOfJobsWithoutAGpuToo() {
    Usage taken = new Usage(1L, 1L, 1000L, null, null, null, null);

    Ledger ledger =
        report(
            AnEvent.ended(attempt, Outcome.FAILED).category(FailureCategory.HOST_OOM).usage(taken));

    assertThat(ledger.learned())
        .extracting(MemoryRow::key, MemoryRow::peak)
        .containsExactly(
            tuple("host equal " + scene.job("a").fingerprint(), 1500L),
            tuple("host like 0 GPU(s) command: echo a", 1500L));
  }

  @Test
  void aWarningOfItsAgentIsShownAndCounted() {
    report(AnEvent.of(attempt, Type.RUNNING).seq(1));

    Ledger ledger = report(AnEvent.of(attempt, Type.PROGRESS).seq(2).message("takes 6 GiB"));

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    assertThat(scene.reason("a")).isEqualTo("takes 6 GiB");
    assertThat(ledger.warnings())
        .as("an agent that does not say of what warns of memory")
        .containsExactly(Warning.MEMORY);
    assertThat(scene.status("a").code()).isEqualTo(Code.MEMORY_OUTGROWN);
    report(AnEvent.of(attempt, Type.PROGRESS).seq(3).progress("0.5"));
    assertThat(scene.reason("a")).as("it stays while it runs").isEqualTo("takes 6 GiB");
  }

  @ParameterizedTest
  @CsvSource({"MEMORY, MEMORY_OUTGROWN", "GPU_IDLE, GPU_IDLE", "DISK, DISK_EXCEEDED"})
  void aWarningHasACodeUntilItIsOver(Warning warning, Code code) {
    report(AnEvent.of(attempt, Type.RUNNING).seq(1));

    Ledger ledger =
        report(AnEvent.of(attempt, Type.PROGRESS).seq(2).message("it is so").warning(warning));

    assertThat(ledger.warnings()).containsExactly(warning);
    assertThat(scene.status("a").code()).isEqualTo(code);
    report(AnEvent.of(attempt, Type.PROGRESS).seq(3).message("no more").warning(Warning.OVER));
    assertThat(scene.status("a").code()).isNull();
    assertThat(scene.status("a").reason()).isNull();
  }

  @Test
  void aWarnedAttemptThatFailsLeavesNoWarningBehind() {
    report(AnEvent.of(attempt, Type.RUNNING).seq(1));
    report(AnEvent.of(attempt, Type.PROGRESS).seq(2).message("idle").warning(Warning.GPU_IDLE));

    report(AnEvent.ended(attempt, Outcome.FAILED).seq(3).category(FailureCategory.GPU_OOM));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.status("a").code()).isNull();
  }

  @Test
  void whoeverBreaksARuleOfItsHostFailsWithoutARetry() {
    report(
        AnEvent.ended(attempt, Outcome.FAILED)
            .category(FailureCategory.LIMIT)
            .message("its GPU idled")
            .warning(Warning.GPU_IDLE));

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.LIMIT_EXCEEDED);
    assertThat(scene.reason("a")).contains("its GPU idled");
  }

  @Test
  void aCategoryThatIsNotKnownHereCountsAsTheJobsOwnFailure() {
    report(AnEvent.ended(attempt, Outcome.FAILED).category(null).message("something new"));

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.APP_FAILURE);
  }

  @Test
  void whatCannotBeStartedIsHeldAgainstTheHostAndWhatStartsIsNot() {
    Ledger failed = report(AnEvent.ended(attempt, Outcome.FAILED).category(FailureCategory.LAUNCH));

    assertThat(failed.launchFailures())
        .extracting(LaunchFailure::host, LaunchFailure::job)
        .containsExactly(tuple("h1", attempt.job()));
    assertThat(failed.launchedOn()).isEmpty();
    scene.post(aRequest("b"));
    attempt = scene.place("b", "h1");
    assertThat(report(AnEvent.of(attempt, Type.RUNNING).seq(1)).launchedOn()).containsExactly("h1");
    assertThat(report(AnEvent.ended(attempt, Outcome.SUCCEEDED).seq(2)).launchedOn())
        .containsExactly("h1");
    scene.post(aRequest("c"));
    attempt = scene.place("c", "h1");
    Ledger returned = report(AnEvent.ended(attempt, Outcome.RETURNED));
    assertThat(returned.launchedOn()).as("a return says nothing").isEmpty();
    assertThat(returned.launchFailures()).isEmpty();
  }

  private Ledger report(AnEvent event) {
    return scene.transaction(
        ledger -> AttemptReports.apply(ledger, List.of(event.report()), Backoff.NONE));
  }

  @Test
  void progressThatCannotBeStoredIsLeftOut() {
    apply(AnEvent.of(attempt, Type.PROGRESS).progress("{\"message\":\"\\u0000\"}"));

    assertThat(scene.status("a").progress()).isNull();
    assertThat(scene.attempt("a").seq()).isEqualTo(1);
  }

  @Test
  void stepsMayBeSkippedForTheEndIsSelfContained() {
    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED).seq(9).result("{\"x\":1}").exitCode(0));

    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.status("a").result().path("x").intValue()).isEqualTo(1);
    assertThat(scene.status("a").exitCode()).isZero();
    assertThat(scene.store().attempts()).isEmpty();
  }

  @Test
  void eventsOfOneBatchAreFoldedInOrder() {
    apply(
        AnEvent.of(attempt, Type.ACCEPTED).seq(1),
        AnEvent.of(attempt, Type.RUNNING).seq(2),
        AnEvent.ended(attempt, Outcome.SUCCEEDED).seq(3));

    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void anEndedAttemptNeedNotBeKeptByItsAgent() {
    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED));

    assertThat(scene.told(ToAgent.Forget.class))
        .containsExactly(new ToAgent.Forget(attempt.job(), 1));
  }

  @Test
  void aFailureIsItsCategorysAndKeepsTheExitCode() {
    apply(
        AnEvent.ended(attempt, Outcome.FAILED)
            .category(FailureCategory.APP)
            .exitCode(7)
            .message("exit code 7"));

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.APP_FAILURE);
    assertThat(scene.reason("a")).isEqualTo("exit code 7");
    assertThat(scene.status("a").exitCode()).isEqualTo(7);
  }

  @Test
  void aLostProcessIsAHostLostAndTriedAgain() {
    apply(AnEvent.ended(attempt, Outcome.LOST));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("a").failures()).containsEntry(FailureCategory.HOST_LOST, 1);
  }

  @Test
  void aReturnedAttemptCostsNothingAndItsHostIsNotAskedAgain() {
    List<AttemptReports.Refusal> refusals = new ArrayList<>();
    scene.transaction(
        ledger ->
            refusals.addAll(
                AttemptReports.apply(
                        ledger,
                        List.of(
                            AnEvent.ended(attempt, Outcome.RETURNED).message("no room").report()),
                        Backoff.NONE)
                    .refusals()));

    assertThat(refusals).containsExactly(new AttemptReports.Refusal("h1", scene.job("a").shape()));
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.inLine("a")).isTrue();
    assertThat(scene.job("a").failures()).isEmpty();
    assertThat(scene.reason("a")).isEqualTo("returned by h1: no room");
  }

  @Test
  void anAttemptThatItsAgentCancelledUnaskedGoesBackToTheLine() {
    apply(AnEvent.ended(attempt, Outcome.CANCELLED));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void aCancelledAttemptThatWasAskedToEndEndsItsJob() {
    scene.cancel("a");

    apply(AnEvent.ended(attempt, Outcome.CANCELLED));

    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.reason("a")).isEqualTo("not needed");
  }

  @Test
  void aJobThatSucceedsWhileItIsToldToEndHasSucceeded() {
    scene.cancel("a");

    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED));

    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void aRequiredResultThatIsMissingIsAFailure() {
    scene.post(aRequest("r").requiresResult());
    AttemptRow of = scene.place("r", "h1");

    apply(AnEvent.ended(of, Outcome.SUCCEEDED));

    assertThat(scene.code("r")).isEqualTo(Code.RESULT_MISSING);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "[0.9,1,2]; SUCCEEDED",
        "[0.9,1]; FAILED",
        "[0.9,1,2,3]; FAILED",
        "[0.9,1,\"2\"]; FAILED",
        "0.9; FAILED",
        "{\"a\":1}; FAILED",
        "; SUCCEEDED",
      })
  void aResultHasANumberForEachLabel(String result, RequestState state) {
    scene.post(aRequest("r").list("resultLabels", "one", "two"));
    AttemptRow of = scene.place("r", "h1");

    apply(AnEvent.ended(of, Outcome.SUCCEEDED).result(result));

    assertThat(scene.state("r")).isEqualTo(state);
    if (state == RequestState.FAILED) {
      assertThat(scene.code("r")).isEqualTo(Code.RESULT_INVALID);
      assertThat(scene.status("r").reason())
          .isEqualTo(
              "its result is %s, expected 3 numbers: the score and one for each of its resultLabels"
                  .formatted(result));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"0.5; 0.5", "[0.25,7]; 0.25", "[]; ", "[1,\"2\"]; ", "{\"a\":1}; "})
  void anIntermediateResultIsKeptWithItsScore(String result, Double score) {
    Ledger ledger = scene.store().open();

    AttemptReports.apply(
        ledger,
        List.of(AnEvent.of(attempt, Type.RESULT).seq(7).result(result).report()),
        Backoff.NONE);

    assertThat(ledger.intermediates()).hasSize(1);
    IntermediateRow row = ledger.intermediates().getFirst();
    assertThat(row.seq()).isEqualTo(7);
    assertThat(row.score()).isEqualTo(score);
    assertThat(row.result()).isEqualTo(result);
  }

  @Test
  void aLargeIntermediateResultIsKeptByItsScoreAlone() {
    Ledger ledger = scene.store().open();
    String many = "[1" + ",1".repeat(IntermediateRow.LARGEST) + "]";

    AttemptReports.apply(
        ledger, List.of(AnEvent.of(attempt, Type.RESULT).result(many).report()), Backoff.NONE);

    assertThat(ledger.intermediates().getFirst().result()).isNull();
    assertThat(ledger.intermediates().getFirst().score()).isEqualTo(1);
  }

  @Test
  void aResultThatIsTooLargeIsAFailure() {
    String text = "x".repeat(EventEnds.MAX_RESULT);

    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED).result("\"" + text + "\""));

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.RESULT_INVALID);
    assertThat(scene.status("a").result()).isNull();
  }

  @Test
  void theLargestResultIsKept() {
    String text = "x".repeat(EventEnds.MAX_RESULT - 2);

    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED).result("\"" + text + "\""));

    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void aResultThatCannotBeStoredIsAFailure() {
    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED).result("{\"a\":[\"\\u0000\"]}"));

    assertThat(scene.code("a")).isEqualTo(Code.RESULT_INVALID);
  }

  /** Events that must not be believed, and what is said of them. */
  enum Forged {
    ANOTHER_TOKEN(event -> event.signedWith("AAAA"), "wrong lease token"),
    ANOTHER_HOST(event -> event.from("h2"), "belongs to host h1");

    private final UnaryOperator<AnEvent> forge;
    private final String reason;

    Forged(UnaryOperator<AnEvent> forge, String reason) {
      this.forge = forge;
      this.reason = reason;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aForgedEventChangesNothing(Forged forged) {
    JobRow before = scene.job("a");

    var outcome = apply(forged.forge.apply(AnEvent.ended(attempt, Outcome.SUCCEEDED)));

    assertThat(outcome.distrusted())
        .singleElement()
        .satisfies(doubt -> assertThat(doubt.reason()).contains(forged.reason));
    assertThat(scene.job("a")).isEqualTo(before);
    assertThat(scene.attempt("a")).isEqualTo(attempt);
    assertThat(scene.told(ToAgent.class)).isEmpty();
  }

  @Test
  void anEventOfAnUnknownJobIsNotBelieved() {
    AttemptRow unknown =
        new AttemptRow(
            "nobody",
            1,
            "default",
            "h1",
            attempt.token(),
            null,
            0,
            0,
            1,
            0,
            0,
            List.of(),
            null,
            null);

    var outcome = apply(AnEvent.of(unknown, Type.RUNNING));

    assertThat(outcome.distrusted())
        .singleElement()
        .satisfies(doubt -> assertThat(doubt.reason()).isEqualTo("no such job: nobody"));
  }

  @Test
  void anEventThatIsNotNewerChangesNothingButIsPublishedAgain() {
    apply(AnEvent.of(attempt, Type.RUNNING).seq(5));
    JobRow before = scene.job("a");

    Ledger ledger = scene.store().open();
    AttemptReports.apply(
        ledger,
        List.of(
            AnEvent.of(attempt, Type.PROGRESS).seq(5).progress("0.9").report(),
            AnEvent.of(attempt, Type.ACCEPTED).seq(4).report()),
        Backoff.NONE);

    assertThat(ledger.jobs().get(before.id())).isEqualTo(before);
    assertThat(ledger.attempts().updated()).isEmpty();
    assertThat(ledger.named()).containsExactly("a");
  }

  @Test
  void anAcceptanceThatComesLateDoesNotTakeARunBack() {
    apply(AnEvent.of(attempt, Type.RUNNING).seq(2));

    apply(AnEvent.of(attempt, Type.ACCEPTED).seq(3));

    assertThat(scene.attempt("a").state()).isEqualTo(AttemptRow.State.RUNNING);
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void theEndOfAClosedAttemptIsForgottenAndKillsNothing() {
    apply(AnEvent.ended(attempt, Outcome.LOST));
    AttemptRow second = scene.place("a", "h2");

    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED).seq(2));

    assertThat(scene.attempt("a")).isEqualTo(second);
    assertThat(scene.state("a")).isEqualTo(RequestState.PLACED);
    assertThat(scene.told(ToAgent.Forget.class)).hasSize(2);
    assertThat(scene.told(ToAgent.Cancel.class)).isEmpty();
  }

  @Test
  void aClosedAttemptThatStillReportsIsToldToEnd() {
    apply(AnEvent.ended(attempt, Outcome.LOST));

    apply(AnEvent.of(attempt, Type.RUNNING).seq(2));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.told(ToAgent.Cancel.class))
        .containsExactly(new ToAgent.Cancel(attempt.job(), 1, "attempt 1 was closed"));
  }

  @Test
  void everySharerIsOwedWhatTheirJobReports() {
    scene.post(aRequest("b").meaning("a"));
    scene.store().takeDue();

    apply(AnEvent.of(attempt, Type.RUNNING));

    assertThat(scene.store().takeDue()).contains("b");
    assertThat(scene.state("b")).isEqualTo(RequestState.RUNNING);
  }

  private AttemptReports.Outcome apply(AnEvent... events) {
    List<AttemptReports.Outcome> outcomes = new ArrayList<>();
    scene.transaction(
        ledger ->
            outcomes.add(
                AttemptReports.apply(
                    ledger, Arrays.stream(events).map(AnEvent::report).toList(), Backoff.NONE)));
    return outcomes.get(0);
  }
}
