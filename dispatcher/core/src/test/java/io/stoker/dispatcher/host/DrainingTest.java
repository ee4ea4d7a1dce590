package io.stoker.dispatcher.host;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.HostRow.Drain;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import org.junit.jupiter.api.Test;

class DrainingTest {
  private static final long TIME = 60_000;

  private final Scene scene = new Scene();
  private final HostRow idle = aHost("h1").row();
  private final HostRow draining =
      idle.drained("new driver", new Drain(scene.store().now() + TIME, null));

  @Test
  void itKeepsPlacementsOffUntilItIsUncordoned() {
    assertThat(draining.cordoned()).isTrue();
    assertThat(draining.reason()).isEqualTo("new driver");
    assertThat(draining.cordon(true, "still").drain()).isEqualTo(draining.drain());
    assertThat(draining.drained(null, new Drain(null, null)).reason()).isEqualTo("new driver");
    assertThat(draining.cordon(true, null).reason()).isEqualTo("new driver");
    HostRow back = draining.cordon(false, null);
    assertThat(back.cordoned()).isFalse();
    assertThat(back.drain()).isNull();
    assertThat(draining.lost("no heartbeat").drain()).isEqualTo(draining.drain());
  }

  @Test
  void whatRunsMayEndBeforeTheDeadline() {
    scene.post(aRequest("a"));
    scene.run("a");

    move(draining);

    assertThat(scene.attempt("a").cancelReason()).isNull();
    assertThat(scene.told(ToAgent.Cancel.class)).isEmpty();
    scene.succeed("a");
    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void withoutADeadlineItMayEndWheneverItDoes() {
    scene.post(aRequest("a"));
    scene.run("a");
    scene.store().pass(1000 * TIME);

    move(idle.drained(null, new Drain(null, null)));
    move(idle);

    assertThat(scene.told(ToAgent.Cancel.class)).isEmpty();
  }

  @Test
  void afterItEverythingIsMovedAndCountsForNoFailure() {
    scene.post(aRequest("runs"), aRequest("placed"), aRequest("elsewhere"));
    scene.run("runs");
    scene.place("placed", "h1");
    scene.place("elsewhere", "h2");
    scene.store().pass(TIME);

    move(draining);

    assertThat(scene.state("runs")).isEqualTo(RequestState.RUNNING);
    assertThat(scene.told(ToAgent.Cancel.class))
        .extracting(ToAgent.Cancel::job)
        .containsExactly(scene.job("runs").id(), scene.job("placed").id());
    scene.report("runs", Type.ENDED, Outcome.CANCELLED, null);
    scene.report("placed", Type.ENDED, Outcome.CANCELLED, null);
    assertThat(scene.state("runs")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.reason("runs")).isEqualTo("moved, as host h1 is drained: new driver");
    assertThat(scene.inLine("runs")).isTrue();
    assertThat(scene.inLine("placed")).isTrue();
    assertThat(scene.job("runs").setbacks().failures()).isEmpty();
    assertThat(scene.state("elsewhere")).isEqualTo(RequestState.PLACED);
  }

  @Test
  void itIsToldOnce() {
    scene.post(aRequest("a"));
    scene.run("a");
    scene.store().pass(TIME);
    move(draining);
    move(draining);

    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(1);
    assertThat(Draining.waiting(List.of(draining), scene.store().attempts())).isEmpty();
  }

  @Test
  void whatIsCancelledMeanwhileIsNotMoved() {
    scene.post(aRequest("before"), aRequest("after"));
    scene.run("before");
    scene.run("after");
    scene.cancel("before");
    scene.store().pass(TIME);
    move(draining);
    scene.cancel("after");

    scene.report("before", Type.ENDED, Outcome.CANCELLED, null);
    scene.report("after", Type.ENDED, Outcome.CANCELLED, null);

    assertThat(scene.state("before")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.state("after")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.reason("before")).isEqualTo("not needed");
  }

  @Test
  void whatEndsByItselfWhileItIsToldToHasEnded() {
    scene.post(aRequest("good"), aRequest("bad"));
    scene.run("good");
    scene.run("bad");
    scene.store().pass(TIME);
    move(draining);

    scene.report("good", Type.ENDED, Outcome.SUCCEEDED, null);
    scene.report("bad", Type.ENDED, Outcome.FAILED, FailureCategory.APP);

    assertThat(scene.state("good")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("bad")).isEqualTo(RequestState.FAILED);
  }

  @Test
  void onlyHostsWithADeadlineAndSomethingToMoveAreLookedAt() {
    scene.post(aRequest("a"));
    scene.run("a");

    assertThat(Draining.waiting(List.of(draining), scene.store().attempts())).containsExactly("h1");
    assertThat(Draining.waiting(List.of(idle), scene.store().attempts())).isEmpty();
    assertThat(
            Draining.waiting(
                List.of(idle.drained(null, new Drain(null, null))), scene.store().attempts()))
        .isEmpty();
    assertThat(
            Draining.waiting(
                List.of(aHost("h2").row().drained(null, new Drain(1L, null))),
                scene.store().attempts()))
        .isEmpty();
  }

  private void move(HostRow host) {
    scene.transaction(unit -> Draining.move(unit, host));
  }
}
