package io.stoker.dispatcher.dependency;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.request.Dependency.Condition;
import io.stoker.common.request.Fingerprint;
import io.stoker.common.request.JobRequest;
import io.stoker.common.size.Limits;
import io.stoker.common.size.SendLimits;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.model.Input;
import io.stoker.dispatcher.model.InputRow;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.CountedIds;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettlementTest {
  private final Scene scene = new Scene();

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void resultsThatAreTooMuchTogetherFailTheDependentWithACode(int more) {
    int largest = Limits.RESULT_CHARACTERS;
    int n = Limits.INPUTS / largest + 1;
    String[] inputs = IntStream.range(0, n).mapToObj(i -> "in" + i).toArray(String[]::new);
    for (int i = 0; i < n; i++) {
      scene.post(aRequest(inputs[i]));
      int size = i == 0 ? largest / 2 + more : i == 1 ? largest / 2 : largest;
      scene.succeedWith(inputs[i], "x".repeat(size - 2));
    }
    scene.post(aRequest("all").dependsOn(inputs), aRequest("next").dependsOn("all"));

    boolean tooMuch = more > 0;
    assertThat(scene.state("all")).isEqualTo(tooMuch ? RequestState.FAILED : RequestState.QUEUED);
    assertThat(scene.code("all")).isEqualTo(tooMuch ? Code.TOO_LARGE : null);
    assertThat(scene.state("next")).isEqualTo(tooMuch ? RequestState.FAILED : RequestState.WAITING);
    if (tooMuch) {
      assertThat(scene.reason("all"))
          .isEqualTo(
              "the results of its 17 dependencies have 4194305 bytes together, expected at most"
                  + " 4194304");
    }
  }

  @Test
  void theLastSuccessReadiesTheDependent() {
    scene.post(aRequest("a"), aRequest("b"), aRequest("c").dependsOn("a", "b"));

    scene.succeed("b");
    assertThat(scene.state("c")).isEqualTo(RequestState.WAITING);
    assertThat(scene.request("c").missing()).isEqualTo(1);

    scene.store().takeDue();
    scene.succeed("a");
    assertThat(scene.state("c")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.inLine("c")).isTrue();
    assertThat(scene.store().takeDue()).contains("c");
    assertThat(scene.store().dependencies()).isEmpty();
  }

  @Test
  void theFirstFailureFailsTheDependentAtOnce() {
    scene.post(aRequest("a"), aRequest("b"), aRequest("c").dependsOn("a", "b"));

    scene.fail("b");

    assertThat(scene.state("c")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("c")).isEqualTo(Code.DEPENDENCY_FAILED);
    assertThat(scene.reason("c")).isEqualTo("caused by failure of b");
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void aJobIsNotedWithWhatItDependsOnWhenItIsMade() {
    scene.post(
        aRequest("a"),
        aRequest("b"),
        aRequest("c").dependsOn("b").dependsOn("a", Condition.ENDED),
        aRequest("never").dependsOn("a", "unposted"));
    scene.succeed("a");
    assertThat(scene.store().inputs()).isEmpty();

    scene.succeed("b");

    String job = scene.job("c").id();
    Set<InputRow> both = Set.of(new InputRow("a", job), new InputRow("b", job));
    assertThat(scene.store().inputs()).isEqualTo(both);
    ARequest equal = aRequest("d").meaning("c").dependsOn("b").dependsOn("a", Condition.ENDED);
    scene.post(equal);
    assertThat(scene.job("d").id()).isEqualTo(job);
    assertThat(scene.store().inputs()).as("it shares the job of another").isEqualTo(both);
  }

  @Test
  void whatEndsAfterwardsChangesAFailedDependentNoMore() {
    scene.post(aRequest("a"), aRequest("b"), aRequest("c").dependsOn("a", "b"));
    scene.fail("b");
    var failed = scene.request("c");

    scene.succeed("a");

    assertThat(scene.request("c")).isEqualTo(failed);
    assertThat(scene.store().dependencies()).isEmpty();
  }

  @Test
  void aFailureGoesDownTheWholeChainEachNamedByItsOwnDependency() {
    scene.post(
        aRequest("a"),
        aRequest("b").dependsOn("a"),
        aRequest("c").dependsOn("b"),
        aRequest("d").dependsOn("c"));

    scene.fail("a");

    assertThat(scene.reason("b")).isEqualTo("caused by failure of a");
    assertThat(scene.reason("c")).isEqualTo("caused by failure of b");
    assertThat(scene.reason("d")).isEqualTo("caused by failure of c");
  }

  @Test
  void aCancelledDependencyFailsItsDependents() {
    scene.post(aRequest("a"), aRequest("b").dependsOn("a"));

    scene.cancel("a");

    assertThat(scene.reason("b")).isEqualTo("caused by failure of a");
  }

  @ParameterizedTest
  @CsvSource({
    "ENDED, SUCCEEDED, QUEUED,",
    "ENDED, FAILED, QUEUED,",
    "ENDED, CANCELLED, QUEUED,",
    "ENDED, REJECTED, QUEUED,",
    "FAILED, SUCCEEDED, CANCELLED, CONDITION_NOT_MET",
    "FAILED, FAILED, QUEUED,",
    "FAILED, CANCELLED, CANCELLED, CONDITION_NOT_MET",
    "FAILED, REJECTED, CANCELLED, CONDITION_NOT_MET",
    "SUCCEEDED, SUCCEEDED, QUEUED,",
    "SUCCEEDED, FAILED, FAILED, DEPENDENCY_FAILED",
    "SUCCEEDED, CANCELLED, FAILED, DEPENDENCY_FAILED",
    "SUCCEEDED, REJECTED, FAILED, DEPENDENCY_FAILED"
  })
  void aConditionHoldsOrEndsTheDependentAtOnce(
      Condition condition, RequestState end, RequestState then, Code code) {
    scene.post(aRequest("after").dependsOn("a", condition));
    if (end == RequestState.REJECTED) {
      scene.transaction(unit -> Intake.refuse(unit, "a", Code.INVALID_REQUEST, "no such field"));
    } else {
      scene.post(aRequest("a"));
    }
    switch (end) {
      case SUCCEEDED -> scene.succeed("a");
      case FAILED -> scene.fail("a");
      case CANCELLED -> scene.cancel("a");
      default -> {}
    }

    assertThat(scene.state("after")).isEqualTo(then);
    assertThat(scene.code("after")).isEqualTo(code);
    assertThat(scene.store().dependencies()).isEmpty();
    if (code == Code.CONDITION_NOT_MET) {
      assertThat(scene.reason("after"))
          .isEqualTo("a is %s, and this was to run only if it failed".formatted(end));
    }
  }

  @Test
  void whatFollowsAnEndIsSharedForThatEndAlone() {
    scene.post(aRequest("a").meaning("same"), aRequest("sharer").meaning("same"));
    scene.post(
        aRequest("clean").meaning("clean").dependsOn("a", Condition.FAILED),
        aRequest("sharers").meaning("clean").dependsOn("sharer", Condition.FAILED),
        aRequest("report").meaning("clean").dependsOn("a", Condition.ENDED));
    scene.fail("a");
    scene.succeed("clean");
    scene.post(aRequest("again").meaning("same"));
    scene.post(aRequest("cleans").meaning("clean").dependsOn("again", Condition.FAILED));
    scene.fail("again");

    assertThat(scene.job("sharers")).isEqualTo(scene.job("clean"));
    assertThat(scene.job("report")).isNotEqualTo(scene.job("clean"));
    assertThat(scene.job("cleans")).isNotEqualTo(scene.job("clean"));
    assertThat(scene.state("cleans")).isEqualTo(RequestState.QUEUED);
  }

  /** Another replica settled one of them between the reading of it and the lock. */
  @Test
  void whoseInputsWereNotAllKnownSharesNothing() {
    scene.post(aRequest("equal").meaning("use"));
    scene.succeed("equal");
    scene.post(aRequest("b").meaning("use").dependsOn("a"));
    JobRequest asked = aRequest("b").meaning("use").dependsOn("a").build();
    Dependent unknown = new Dependent(asked, Map.of("a", new Input(null, null, null, 0)));
    CountedIds ids = new CountedIds();
    ids.job(0); // that of the equal one
    Binding binding = new Binding(ids, new Queues(List.of()));

    scene.transaction(
        unit ->
            binding.bind(
                unit, unit.requests().get("b"), asked, unknown.meaning(new Queues(List.of()))));

    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.request("b").fingerprint()).isEqualTo(Fingerprint.ofJob(scene.job("b").id()));
  }

  @Test
  void answersFromFinishedJobsCascade() {
    scene.post(
        aRequest("a"),
        aRequest("b").meaning("x").dependsOn("a"),
        aRequest("c").meaning("y").dependsOn("b"));
    scene.succeed("a");
    scene.succeed("b");
    scene.succeed("c");

    scene.post(
        aRequest("a2").meaning("a"),
        aRequest("b2").meaning("x").dependsOn("a2"),
        aRequest("c2").meaning("y").dependsOn("b2"));

    assertThat(scene.state("c2")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.status("c2").cached()).isTrue();
    assertThat(scene.store().jobs()).hasSize(3);
  }

  @Test
  void aSharersSuccessReadiesItsOwnDependents() {
    scene.post(aRequest("a").meaning("same"), aRequest("b").meaning("same"));
    scene.post(aRequest("after-b").dependsOn("b"));

    scene.succeed("a");

    assertThat(scene.state("after-b")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void dependentsMeanTheSameWhenTheirDependenciesDo() {
    scene.post(aRequest("a").meaning("same"), aRequest("b").meaning("same"));
    scene.post(
        aRequest("c").meaning("use").dependsOn("a"),
        aRequest("d").meaning("use").dependsOn("b"),
        aRequest("e").meaning("use"));

    scene.succeed("a");

    assertThat(scene.job("d")).isEqualTo(scene.job("c"));
    assertThat(scene.job("e")).isNotEqualTo(scene.job("c"));
  }

  @Test
  void theOrderOfDependenciesIsMeaning() {
    scene.post(aRequest("a"), aRequest("b"));
    scene.post(
        aRequest("c").meaning("use").dependsOn("a", "b"),
        aRequest("d").meaning("use").dependsOn("b", "a"));

    scene.succeed("a");
    scene.succeed("b");

    assertThat(scene.job("d")).isNotEqualTo(scene.job("c"));
  }

  @Test
  void aRerunDependencyIsWaitedForHoweverItsEqualFailedBefore() {
    scene.post(aRequest("a").meaning("same"));
    scene.fail("a");

    scene.post(aRequest("again").meaning("same"), aRequest("c").dependsOn("again"));

    assertThat(scene.state("c")).isEqualTo(RequestState.WAITING);
    scene.succeed("again");
    assertThat(scene.state("c")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void oneSharersFailedDependencyFailsThatSharerAlone() {
    scene.post(aRequest("a").always(), aRequest("b").always());
    scene.post(aRequest("c").key("k").dependsOn("a"), aRequest("d").key("k").dependsOn("b"));

    scene.fail("a");
    scene.succeed("b");

    assertThat(scene.reason("c")).isEqualTo("caused by failure of a");
    assertThat(scene.state("d")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void dependentsOfRunsThatAreNobodyElsesShareNothing() {
    scene.post(aRequest("a").meaning("same").always(), aRequest("b").meaning("same").always());
    scene.post(
        aRequest("c").meaning("use").dependsOn("a"), aRequest("d").meaning("use").dependsOn("b"));

    scene.succeed("a");
    scene.succeed("b");

    assertThat(scene.job("d")).isNotEqualTo(scene.job("c"));
  }

  @Test
  void settlingTwiceChangesNothing() {
    scene.post(aRequest("a"), aRequest("b"), aRequest("c").dependsOn("a", "b"));
    scene.succeed("a");
    var once = scene.request("c");

    scene.transaction(unit -> new Settlement(null, SendLimits.REAL).settle(unit, "a", Map.of()));

    assertThat(scene.request("c")).isEqualTo(once);
  }

  @Test
  void aDependencyThatHasNotEndedSettlesNothing() {
    scene.post(aRequest("a"), aRequest("b").dependsOn("a"));
    scene.run("a");

    scene.transaction(unit -> new Settlement(null, SendLimits.REAL).settle(unit, "a", Map.of()));

    assertThat(scene.request("b").missing()).isEqualTo(1);
    assertThat(scene.store().dependencies()).hasSize(1);
  }

  @Test
  void aDependentThatWasCancelledStaysCancelled() {
    scene.post(aRequest("a"), aRequest("b").dependsOn("a"));
    scene.cancel("b");

    scene.succeed("a");

    assertThat(scene.state("b")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.store().dependencies()).isEmpty();
  }
}
