package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.security.Macs;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.IntermediateRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.AnEvent;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Results that jobs give while they run and when they end. */
class ReportedResultsTest extends Reporting {
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
    UnitOfWork unit = scene.store().open();

    AttemptReports.apply(
        unit,
        List.of(AnEvent.of(attempt, Type.RESULT).seq(7).result(result).report()),
        Backoff.NONE);

    assertThat(unit.intermediates()).hasSize(1);
    IntermediateRow row = unit.intermediates().getFirst();
    assertThat(row.seq()).isEqualTo(7);
    assertThat(row.score()).isEqualTo(score);
    assertThat(row.result()).isEqualTo(result);
  }

  /** An agent that starts again tells what may be lost by its old number, others go before it. */
  @Test
  void anIntermediateResultThatLaterEventsOvertookIsKept() {
    apply(AnEvent.of(attempt, Type.PROGRESS).seq(129));
    UnitOfWork unit = scene.store().open();

    AttemptReports.apply(
        unit,
        List.of(AnEvent.of(attempt, Type.RESULT).seq(7).result("0.5").report()),
        Backoff.NONE);

    assertThat(unit.intermediates()).extracting(IntermediateRow::seq).containsExactly(7);
    assertThat(unit.attempts().get(attempt.key()).seq()).isEqualTo(129);
  }

  /** It had to be sent again. */
  @ParameterizedTest
  @EnumSource(
      value = Type.class,
      names = {"RESULT", "PROGRESS"})
  void whatSaysSomethingRunsThoughTheEventOfThatIsOvertaken(Type said) {
    apply(AnEvent.of(attempt, Type.ACCEPTED).seq(1).devices("GPU-7"));

    apply(AnEvent.of(attempt, said).seq(3).result("0.5").devices("GPU-7"));

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    assertThat(scene.status("a").devices()).containsExactly("GPU-7");
    long version = scene.status("a").version();
    apply(AnEvent.of(attempt, Type.RUNNING).seq(2).devices("GPU-7"));
    apply(AnEvent.of(attempt, said).seq(4).result("0.5").devices("GPU-7"));
    assertThat(scene.status("a").version()).as("nothing new").isEqualTo(version);
  }

  @Test
  void aLargeIntermediateResultIsKeptByItsScoreAlone() {
    UnitOfWork unit = scene.store().open();
    String many = "[1" + ",1".repeat(IntermediateRow.LARGEST) + "]";

    AttemptReports.apply(
        unit, List.of(AnEvent.of(attempt, Type.RESULT).result(many).report()), Backoff.NONE);

    assertThat(unit.intermediates().getFirst().result()).isNull();
    assertThat(unit.intermediates().getFirst().score()).isEqualTo(1);
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

  @Test
  void aResultThatItsAgentCouldNotKeepIsTheSameFailure() {
    apply(
        AnEvent.ended(attempt, Outcome.FAILED)
            .category(FailureCategory.APP)
            .warning(Warning.RESULT)
            .exitCode(0)
            .message("the result file is not valid JSON"));

    assertThat(scene.code("a")).isEqualTo(Code.RESULT_INVALID);
    assertThat(scene.status("a").reason()).isEqualTo("the result file is not valid JSON");
  }

  /** As agents wrote them that did not make texts plain, and as anybody may write them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "exit code 1: a\\u0000b",
        "exit code 1: \\ud83d…",
        "\\udfff\\u001b[0m",
      })
  void anEndWithTextThatCannotBeStoredIsAnEnd(String message) throws MalformedJson {
    ObjectNode tree =
        (ObjectNode)
            Json.tree(AnEvent.ended(attempt, Outcome.FAILED).category(FailureCategory.APP).event());
    tree.remove("mac");
    tree.set("message", Json.read("\"" + message + "\""));
    boolean signable = !message.contains("\\ud");
    if (signable) {
      tree.put("mac", Macs.sign(Base64.getDecoder().decode(attempt.token()), tree));
    }
    AttemptReport report =
        new AttemptReport("h1", Json.read(tree, AttemptEvent.class), tree, false);

    scene.transaction(unit -> AttemptReports.apply(unit, List.of(report), Backoff.NONE));

    // What has no canonical form nobody can have signed: it changes nothing.
    assertThat(scene.state("a")).isEqualTo(signable ? RequestState.FAILED : RequestState.PLACED);
    if (signable) {
      assertThat(scene.status("a").reason()).isEqualTo(message);
    }
  }

  @Test
  void aFailureOfAKindThatIsNotKnownHereIsAFailureOfTheJob() {
    apply(AnEvent.ended(attempt, Outcome.FAILED).message("of a later version"));

    assertThat(scene.code("a")).isEqualTo(Code.APP_FAILURE);
  }

  @Test
  void anEndOfWhichNothingCanBeKeptIsStillAnEnd() {
    AttemptReport whole =
        AnEvent.ended(attempt, Outcome.SUCCEEDED).result("[1]").exitCode(0).report();
    assertThat(AnEvent.of(attempt, Type.RESULT).result("[1]").report().bare("why")).isEmpty();

    AttemptReport bare = whole.bare("the database refuses it").orElseThrow();
    scene.transaction(unit -> AttemptReports.apply(unit, List.of(bare), Backoff.NONE));

    assertThat(scene.code("a")).isEqualTo(Code.RESULT_INVALID);
    assertThat(scene.status("a").reason()).contains("the database refuses it");
    assertThat(scene.status("a").exitCode()).isZero();
  }

  @Test
  void aSuccessWithoutResultOfWhichNothingCanBeKeptIsStillASuccess() {
    AttemptReport bare =
        AnEvent.ended(attempt, Outcome.SUCCEEDED).report().bare("why").orElseThrow();
    scene.transaction(unit -> AttemptReports.apply(unit, List.of(bare), Backoff.NONE));

    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
  }
}
