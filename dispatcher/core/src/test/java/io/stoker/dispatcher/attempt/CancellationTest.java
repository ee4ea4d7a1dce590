package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.Cancellation.Verdict;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.Scene;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CancellationTest {
  private final Scene scene = new Scene();

  /** Where a request stands when its end is asked for. */
  enum Standing {
    WAITING(scene -> scene.post(same("a").dependsOn("x"))),
    QUEUED(scene -> scene.post(same("a"))),
    PLACED(
        scene -> {
          scene.post(same("a"));
          scene.place("a", "h1");
        }),
    RUNNING(
        scene -> {
          scene.post(same("a"));
          scene.run("a");
        });

    private final Consumer<Scene> reach;

    Standing(Consumer<Scene> reach) {
      this.reach = reach;
    }

    boolean withAnAgent() {
      return this == PLACED || this == RUNNING;
    }
  }

  private static ARequest same(String id) {
    return aRequest(id).meaning("the same");
  }

  @ParameterizedTest
  @EnumSource
  void whatOnlyWaitsEndsAtOnceAndWhatAnAgentHasWhenThatSaysSo(Standing standing) {
    standing.reach.accept(scene);
    scene.post(aRequest("after").dependsOn("a"));
    scene.store().takeDue();

    scene.cancel("a");

    if (standing.withAnAgent()) {
      assertThat(scene.state("a")).isEqualTo(RequestState.valueOf(standing.name()));
      assertThat(scene.status("a").stopRequested()).isTrue();
      assertThat(scene.told(ToAgent.Cancel.class))
          .containsExactly(new ToAgent.Cancel(scene.job("a").id(), 1, "not needed"));
      scene.report("a", Type.ENDED, Outcome.CANCELLED, null);
    }
    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.code("a")).isEqualTo(Code.CANCELLED);
    assertThat(scene.reason("a")).isEqualTo("not needed");
    assertThat(scene.reason("after")).isEqualTo("caused by failure of a");
    assertThat(scene.store().ready()).isEmpty();
    assertThat(scene.store().attempts()).isEmpty();
    assertThat(scene.store().takeDue()).contains("after");
  }

  @ParameterizedTest
  @EnumSource(names = {"QUEUED", "PLACED", "RUNNING"})
  void oneOfSeveralSharersLeavesAndTheJobGoesOn(Standing standing) {
    standing.reach.accept(scene);
    scene.post(same("b"), aRequest("after-a").dependsOn("a"), aRequest("after-b").dependsOn("b"));

    scene.cancel("a");

    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.state("b")).isEqualTo(RequestState.valueOf(standing.name()));
    assertThat(scene.state("after-a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.told(ToAgent.Cancel.class)).isEmpty();
    scene.succeed("b");
    assertThat(scene.state("b")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("after-b")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.state("a")).as("terminal is final").isEqualTo(RequestState.CANCELLED);
  }

  @Test
  void whoStartedAJobTakesHisGroupWithHimUnlessAllOthersAreOfIt() {
    scene.post(same("a").with("group", "g"));
    scene.post(same("b").with("group", "g"));
    scene.post(same("c"));
    assertThat(group("b")).isEqualTo("g");

    scene.cancel("a");

    assertThat(group("b")).isEmpty();

    scene.post(aRequest("d").with("group", "g").meaning("d"));
    scene.post(aRequest("e").with("group", "g").meaning("d"));
    scene.cancel("d");

    assertThat(group("e")).isEqualTo("g");
  }

  private String group(String request) {
    return scene.store().ready().get(scene.job(request).id()).group();
  }

  @ParameterizedTest
  @EnumSource(names = {"QUEUED", "PLACED", "RUNNING"})
  void withTheLastSharerTheJobEnds(Standing standing) {
    standing.reach.accept(scene);
    scene.post(same("b"));
    scene.cancel("a");

    scene.cancel("b");

    if (standing.withAnAgent()) {
      scene.report("b", Type.ENDED, Outcome.CANCELLED, null);
    }
    assertThat(scene.state("b")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.job("b").live()).isFalse();
    assertThat(scene.store().ready()).isEmpty();
  }

  @Test
  void whatIsStoppedEarlySaysSoOnceItIsOver() {
    scene.post(same("a"));
    scene.run("a");
    Cancellation.Verdict verdict =
        new Cancellation.Verdict(RequestState.CANCELLED, Code.EARLY_STOPPED, "worse than others");

    scene.transaction(unit -> Cancellation.cancel(unit, "a", verdict));

    assertThat(scene.status("a").code()).isNull();
    scene.report("a", Type.ENDED, Outcome.CANCELLED, null);
    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.code("a")).isEqualTo(Code.EARLY_STOPPED);
    assertThat(scene.reason("a")).isEqualTo("worse than others");
  }

  @Test
  void anIdThatIsNotKnownYetIsRememberedForItsArrival() {
    scene.cancel("a");

    RequestRow placeholder = scene.request("a");
    assertThat(placeholder.isPlaceholder()).isTrue();
    assertThat(placeholder.stopRequested()).isTrue();
    assertThat(placeholder.reason()).isEqualTo("not needed");
  }

  @Test
  void askingAgainChangesNothing() {
    scene.post(same("a"));
    scene.run("a");
    scene.cancel("a");
    RequestRow once = scene.request("a");

    scene.cancel("a");

    assertThat(scene.request("a")).isEqualTo(once);
    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(1);
  }

  @Test
  void whatHasEndedStaysAsItEnded() {
    scene.post(same("a"));
    scene.succeed("a");
    RequestRow ended = scene.request("a");

    scene.cancel("a");

    assertThat(scene.request("a")).isEqualTo(ended);
    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void oneThatWaitsForAnEqualToEndIsOutAtOnce() {
    scene.post(same("a"));
    scene.run("a");
    scene.cancel("a");
    scene.post(same("b"));

    scene.cancel("b");

    assertThat(scene.state("b")).isEqualTo(RequestState.CANCELLED);
    scene.report("a", Type.ENDED, Outcome.CANCELLED, null);
    assertThat(scene.store().ready()).isEmpty();
  }

  @Test
  void anAnswerFromAFinishedJobIsNoSharerOfIt() {
    scene.post(same("a"));
    scene.succeed("a");
    scene.post(same("b"));

    scene.cancel("b");

    assertThat(scene.state("b")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void theCancelledRequestIsOwedItsStatusWhoeverAsked() {
    scene.post(same("a"));
    scene.store().takeDue();

    scene.cancel("a");

    assertThat(scene.store().takeDue()).contains("a");
  }

  @Test
  void aCancelWithoutAReasonGivesOne() {
    assertThat(Verdict.cancelled(null).reason()).isEqualTo("cancelled on request");
    assertThat(Verdict.cancelled(" ").reason()).isEqualTo("cancelled on request");
  }
}
