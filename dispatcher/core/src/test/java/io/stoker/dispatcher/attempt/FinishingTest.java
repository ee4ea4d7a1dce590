package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.model.Answer;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.scenario.CountedIds;
import io.stoker.dispatcher.scenario.Scene;
import io.stoker.dispatcher.timer.SweepRules;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class FinishingTest {
  private static final JsonNode SEVEN = JsonNodeFactory.instance.numberNode(7);

  private final Scene scene = new Scene();

  @Test
  void theAgentIsToldUntilItHasEndedTheJob() {
    shown("a");

    assertThat(finish("a", new Answer(SEVEN, null))).isEmpty();

    ToAgent told = new ToAgent.Finish(scene.job("a").id(), 1, SEVEN, null);
    assertThat(scene.told(ToAgent.Finish.class)).containsExactly((ToAgent.Finish) told);
    assertThat(SweepRules.words(scene.store().attempts()))
        .containsExactly(new SweepRules.Word(scene.job("a").id(), "h1", told));
    scene.report("a", Type.ENDED, Outcome.SUCCEEDED, null);
    assertThat(SweepRules.words(scene.store().attempts())).isEmpty();
  }

  @Test
  void theFirstAnswerCounts() {
    shown("a");
    finish("a", new Answer(SEVEN, null));

    assertThat(finish("a", new Answer(null, "no"))).isEmpty();

    assertThat(scene.store().attempts().getFirst().answer()).isEqualTo(new Answer(SEVEN, null));
  }

  @Test
  void whatDoesNotWaitForAPersonIsNamed() {
    assertThat(finish("a", new Answer(SEVEN, null))).contains("request: a is not known");
    scene.post(aRequest("a").resource("type", "passive"));
    assertThat(finish("a", new Answer(SEVEN, null)))
        .contains("request: a is QUEUED, expected one of type passive that is RUNNING");
    scene.post(aRequest("b"));
    scene.run("b");
    assertThat(finish("b", new Answer(SEVEN, null))).isPresent();
    assertThat(scene.store().attempts().getFirst().answer()).isNull();
  }

  @Test
  void whatIsBeingEndedTakesNoAnswer() {
    shown("a");
    scene.cancel("a");

    assertThat(finish("a", new Answer(SEVEN, null))).isPresent();
    assertThat(SweepRules.words(scene.store().attempts()))
        .extracting(SweepRules.Word::message)
        .noneMatch(ToAgent.Finish.class::isInstance);
  }

  private void shown(String request) {
    scene.post(aRequest(request).resource("type", "passive"));
    scene.transaction(
        unit ->
            new Placing(new CountedIds(), Scene.ACCEPT_WITHIN)
                .place(
                    unit,
                    List.of(new Assignment(scene.job(request).id(), "h1", new Takes.Passive()))));
    scene.report(request, Type.ACCEPTED, null, null);
    scene.report(request, Type.RUNNING, null, null);
  }

  private Optional<String> finish(String request, Answer answer) {
    AtomicReference<Optional<String>> flaw = new AtomicReference<>();
    scene.transaction(unit -> flaw.set(Finishing.finish(unit, request, answer)));
    return flaw.get();
  }
}
