package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.AnEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How an attempt goes on and ends by what its agent says, and what is not believed. */
class AttemptReportsTest extends Reporting {
  @Test
  void anAcceptedAttemptIsStillPlacedAndNamesItsDevices() {
    apply(AnEvent.of(attempt, Type.ACCEPTED).devices("0", "1"));

    assertThat(scene.attempt("a").accepted()).isTrue();
    assertThat(scene.attempt("a").devices()).containsExactly("0", "1");
    assertThat(scene.state("a")).isEqualTo(RequestState.PLACED);
  }

  @Test
  void whyItsHostHoldsItIsSaidUntilItRuns() {
    apply(
        AnEvent.of(attempt, Type.ACCEPTED)
            .progress("{\"stage\":\"WAITING\",\"message\":\"CPU: 85 % busy\"}"));

    assertThat(scene.state("a")).isEqualTo(RequestState.PLACED);
    assertThat(scene.status("a").progress().path("message").asText()).isEqualTo("CPU: 85 % busy");

    apply(AnEvent.of(attempt, Type.RUNNING).seq(3));
    assertThat(scene.status("a").progress()).isNull();
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
  void aCategoryThatIsNotKnownHereCountsAsTheJobsOwnFailure() {
    report(AnEvent.ended(attempt, Outcome.FAILED).category(null).message("something new"));

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.APP_FAILURE);
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
    assertThat(scene.job("a").setbacks().failures()).containsEntry(FailureCategory.HOST_LOST, 1);
  }

  @Test
  void aScoreThatIsNoNumber_isNone_andSaysSo() {
    apply(AnEvent.ended(attempt, Outcome.SUCCEEDED).seq(9).result("[\"NaN\",0.5]").exitCode(0));

    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.status("a").score()).isNull();
    assertThat(scene.status("a").result()).hasToString("[\"NaN\",0.5]");
    assertThat(scene.reason("a")).isEqualTo("its score is NaN, which is no number: it has none");
  }

  @Test
  void onlyTheFirstNumberIsTheScore() {
    apply(
        AnEvent.ended(attempt, Outcome.SUCCEEDED)
            .seq(9)
            .result("[0.5,\"-Infinity\",2]")
            .exitCode(0));

    assertThat(scene.status("a").score()).isEqualTo(0.5);
    assertThat(scene.reason("a")).isNull();
  }

  @Test
  void aReturnedAttemptCostsNothingAndItsHostIsNotAskedAgain() {
    List<AttemptReports.Refusal> refusals = new ArrayList<>();
    scene.transaction(
        unit ->
            refusals.addAll(
                AttemptReports.apply(
                        unit,
                        List.of(
                            AnEvent.ended(attempt, Outcome.RETURNED).message("no room").report()),
                        Backoff.NONE)
                    .refusals()));

    assertThat(refusals)
        .containsExactly(new AttemptReports.Refusal("h1", scene.job("a").asked().shape(), null));
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.inLine("a")).isTrue();
    assertThat(scene.job("a").setbacks().failures()).isEmpty();
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
    AttemptRow unknown = anAttempt("nobody").token(attempt.token()).cpuSlots(1).row();

    var outcome = apply(AnEvent.of(unknown, Type.RUNNING));

    assertThat(outcome.distrusted())
        .singleElement()
        .satisfies(doubt -> assertThat(doubt.reason()).isEqualTo("no such job: nobody"));
  }

  @Test
  void anEventThatIsNotNewerChangesNothingButIsPublishedAgain() {
    apply(AnEvent.of(attempt, Type.RUNNING).seq(5));
    JobRow before = scene.job("a");

    UnitOfWork unit = scene.store().open();
    AttemptReports.apply(
        unit,
        List.of(
            AnEvent.of(attempt, Type.PROGRESS).seq(5).progress("0.9").report(),
            AnEvent.of(attempt, Type.ACCEPTED).seq(4).report()),
        Backoff.NONE);

    assertThat(unit.jobs().get(before.id())).isEqualTo(before);
    assertThat(unit.attempts().updated()).isEmpty();
    assertThat(unit.named()).containsExactly("a");
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

  private static AnEvent timedOut(AttemptRow attempt, long wallMs) {
    return AnEvent.ended(attempt, Outcome.FAILED)
        .category(FailureCategory.TIMEOUT)
        .message("ran longer than its time-out of 6000 ms")
        .usage(new Usage(wallMs, null, null, null));
  }

  /** By an agent of an earlier version, or one that was told too late. */
  @Test
  void whatWasEndedAtATimeoutThatItHasNoMoreRunsAgainForThoseWhoWaitLonger() {
    scene.post(aRequest("x").meaning("same").with("timeout", "6s"));
    AttemptRow open = scene.place("x", "h1");
    scene.post(aRequest("y").meaning("same").with("timeout", "20s"), aRequest("z").meaning("same"));

    apply(timedOut(open, 6_010));

    assertThat(scene.code("x")).isEqualTo(Code.TIMED_OUT);
    assertThat(scene.state("y")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.state("z")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("z").setbacks().failures()).isEmpty();
    assertThat(scene.job("z").asked().policy().givenMs()).isNull();
    scene.run("z");
    scene.succeed("z");
    assertThat(scene.state("y")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("x")).isEqualTo(RequestState.FAILED);
  }

  @Test
  void whatWasEndedAtTheLongestTimeoutOfAllHasFailed() {
    scene.post(aRequest("x").meaning("same").with("timeout", "6s"));
    AttemptRow open = scene.place("x", "h1");
    scene.post(aRequest("y").meaning("same").with("timeout", "20s"));

    apply(timedOut(open, 20_010));

    assertThat(scene.code("x")).isEqualTo(Code.TIMED_OUT);
    assertThat(scene.code("y")).isIn(Code.TIMED_OUT, Code.SHARED_FAILURE);
  }
}
