package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.AnEvent;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of those who make room. */
class PreemptingTest {
  private final Scene scene = new Scene();

  @BeforeEach
  void running() {
    scene.post(preemptible("low"), aRequest("urgent").priority(5));
    scene.run("low");
  }

  private static ARequest preemptible(String id) {
    return aRequest(id).flag("preemptible", true);
  }

  private Running running(String request) {
    return new Running(
        scene.job(request).id(),
        request,
        scene.job(request).asked().priority(),
        true,
        0,
        scene.members(request));
  }

  private Plan plan(String... victims) {
    String urgent = scene.job("urgent").id();
    PreemptionReservation hold =
        new PreemptionReservation(
            urgent, "default", List.of("h1"), 0, 1, scene.store().now(), null, null);
    return new Plan(hold, Stream.of(victims).map(this::running).toList());
  }

  private ReadyRow ready(String request) {
    return scene.store().ready().get(scene.job(request).id());
  }

  private Plan plan() {
    return plan("low");
  }

  private boolean preempt(Plan plan) {
    AtomicBoolean applied = new AtomicBoolean();
    scene.transaction(unit -> applied.set(Preempting.apply(unit, plan)));
    return applied.get();
  }

  @Test
  void itIsToldToEndAndGoesBackToTheLineAtNoCost() {
    assertThat(preempt(plan())).isTrue();

    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(1);
    assertThat(scene.state("low")).isEqualTo(RequestState.RUNNING);
    assertThat(scene.reason("low"))
        .isEqualTo("is being ended: preempted for request urgent, which has the higher priority 5");
    scene.report("low", Type.ENDED, Outcome.CANCELLED, null);
    assertThat(scene.state("low")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.code("low")).isEqualTo(Code.PREEMPTED);
    assertThat(scene.reason("low"))
        .isEqualTo("preempted for request urgent, which has the higher priority 5");
    assertThat(scene.inLine("low")).isTrue();
    assertThat(scene.job("low").setbacks().failures()).isEmpty();
    assertThat(scene.job("low").setbacks().preemptions()).isEqualTo(1);
    assertThat(scene.place("low", "h1").number()).isEqualTo(2);
    assertThat(scene.code("low")).isNull();
  }

  @Test
  void whoEndsByItselfMeanwhileHasEnded() {
    preempt(plan());
    scene.report("low", Type.ENDED, Outcome.SUCCEEDED, null);
    assertThat(scene.state("low")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void whoIsCancelledMeanwhileIsCancelled() {
    preempt(plan());
    scene.cancel("low");
    scene.report("low", Type.ENDED, Outcome.CANCELLED, null);
    assertThat(scene.state("low")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.code("low")).isEqualTo(Code.CANCELLED);
  }

  @Test
  void whoseHostIsLostMeanwhileHasLostNothingMore() {
    preempt(plan());
    scene.report("low", Type.ENDED, Outcome.LOST, null);
    assertThat(scene.state("low")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.code("low")).isEqualTo(Code.PREEMPTED);
    assertThat(scene.job("low").setbacks().failures()).isEmpty();
  }

  @Test
  void toldTwiceItIsToldOnce() {
    Plan plan = plan();
    assertThat(preempt(plan)).isTrue();
    assertThat(preempt(plan)).isFalse();
    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(1);
  }

  @Test
  void nobodyEndsForOneThatWaitsNoMore() {
    Plan plan = plan();
    scene.cancel("urgent");
    assertThat(preempt(plan)).isFalse();
    assertThat(scene.told(ToAgent.Cancel.class)).isEmpty();
  }

  @Test
  void anotherAttemptThanTheOneThatWasMeantGoesOn() {
    Plan plan = plan();
    scene.report("low", Type.ENDED, Outcome.RETURNED, null);
    scene.run("low");
    assertThat(preempt(plan)).isFalse();
    assertThat(scene.told(ToAgent.Cancel.class)).isEmpty();
  }

  @Test
  void nobodyEndsWhereOneOfThemDoesNotSinceThatWouldMakeNoRoom() {
    scene.post(preemptible("other"));
    scene.run("other");
    Plan plan = plan("low", "other");
    scene.succeed("other");
    assertThat(preempt(plan)).isFalse();
    assertThat(scene.told(ToAgent.Cancel.class)).isEmpty();
  }

  @Test
  void aSharerWhoDoesNotAllowItProtectsTheJob() {
    Plan plan = plan();
    scene.post(aRequest("sharer").meaning("low"));
    assertThat(preempt(plan)).isFalse();
    scene.post(preemptible("third").meaning("low"));
    assertThat(preempt(plan())).as("who allows it changes nothing").isFalse();
  }

  @Test
  void aSharerWhoMakesItMoreUrgentProtectsTheJob() {
    Plan plan = plan();
    scene.post(preemptible("sharer").meaning("low").priority(6));
    assertThat(preempt(plan)).isFalse();
  }

  @Test
  void itGetsInLineBehindTheMoreUrgentThatHaveComeUntilThen() {
    scene.store().pass(3_600_000);
    scene.post(aRequest("later").priority(1), aRequest("equal"));
    preempt(plan());
    scene.report("low", Type.ENDED, Outcome.CANCELLED, null);
    long rank = ready("low").rank();
    assertThat(rank).isGreaterThan(ready("later").rank());
    assertThat(rank).isLessThan(ready("equal").rank());
  }

  @Test
  void forAnotherQueuesSakeItKeepsItsPlace() {
    scene.store().pass(3_600_000);
    scene.post(aRequest("urgent-b").queue("b"));
    String job = scene.job("urgent-b").id();
    PreemptionReservation hold =
        new PreemptionReservation(job, "b", List.of("h1"), 0, 1, scene.store().now(), null, null);
    assertThat(preempt(new Plan(hold, List.of(running("low"))))).isTrue();
    scene.report("low", Type.ENDED, Outcome.CANCELLED, null);
    assertThat(scene.reason("low"))
        .isEqualTo("preempted for request urgent-b, whose queue b has less than its share");
    assertThat(ready("low").seq()).isEqualTo(scene.job("low").asked().seq());
  }

  @Test
  void aGangEndsWholeAndItsMembersFailuresCountForNothing() {
    scene.post(preemptible("gang").resource("hosts", 2));
    for (AttemptRow row : scene.placeGang("gang", "a", "b")) {
      scene.report(AnEvent.of(row, Type.ACCEPTED).address(row.host() + ":1"));
      scene.report(AnEvent.of(row, Type.RUNNING).seq(2));
    }
    List<AttemptRow> members = scene.members("gang");
    assertThat(preempt(plan("gang"))).isTrue();
    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(2);
    scene.report(
        AnEvent.ended(members.get(0), Outcome.FAILED).seq(3).category(FailureCategory.APP));
    scene.report(AnEvent.ended(members.get(1), Outcome.CANCELLED).seq(3));
    assertThat(scene.state("gang")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.code("gang")).isEqualTo(Code.PREEMPTED);
    assertThat(scene.job("gang").setbacks().failures()).isEmpty();
  }
}
