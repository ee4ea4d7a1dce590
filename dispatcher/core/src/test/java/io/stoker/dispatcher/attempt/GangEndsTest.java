package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.host.HostLoss;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.AnEvent;
import io.stoker.dispatcher.timer.SweepRules;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How an attempt on several hosts ends. */
class GangEndsTest extends GangScene {
  @Test
  void oneThatFailsEndsTheOthersAndAllOfItIsTriedAgain() {
    run();

    fail(1, FailureCategory.HOST_LOST);

    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(2);
    assertThat(scene.members("g"))
        .extracting(AttemptRow::rank, AttemptRow::cancelReason)
        .containsExactly(
            tuple(0, "rank 1 on host b: rank 1"), tuple(2, "rank 1 on host b: rank 1"));
    assertThat(scene.inLine("g")).as("its others are not over yet").isFalse();
    assertThat(scene.reason("g")).contains("the others are being ended");
    cancelled(2);
    assertThat(scene.inLine("g")).isFalse();

    cancelled(0);

    assertThat(scene.inLine("g")).isTrue();
    assertThat(scene.reason("g")).isEqualTo("rank 1 on host b: rank 1; attempt 2 follows");
    assertThat(scene.job("g").setbacks().avoid().hosts()).containsExactly("b");
    assertThat(scene.placeGang("g", "a", "c", "d")).extracting(AttemptRow::number).containsOnly(2);
  }

  @Test
  void whatHasNoAttemptsLeftFailsAsItsMemberDid() {
    run();
    fail(2, FailureCategory.APP);
    cancelled(0);
    cancelled(1);
    assertThat(scene.state("g")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("g")).isEqualTo(Code.of(FailureCategory.APP));
    assertThat(scene.reason("g")).isEqualTo("rank 2 on host c: rank 2");
  }

  /** What makes the others fail, too, is the cause, in whatever order it is heard of. */
  static Stream<Arguments> causes() {
    return Stream.of(
        arguments(FailureCategory.APP, FailureCategory.HOST_LOST, FailureCategory.HOST_LOST),
        arguments(FailureCategory.HOST_LOST, FailureCategory.APP, FailureCategory.HOST_LOST),
        arguments(FailureCategory.APP, FailureCategory.GPU_OOM, FailureCategory.GPU_OOM),
        arguments(FailureCategory.TIMEOUT, FailureCategory.APP, FailureCategory.TIMEOUT),
        arguments(FailureCategory.APP, FailureCategory.LAUNCH, FailureCategory.LAUNCH),
        arguments(
            FailureCategory.HOST_OOM, FailureCategory.DEVICE_FAULT, FailureCategory.DEVICE_FAULT));
  }

  @ParameterizedTest
  @MethodSource("causes")
  void theEndFurthestFromTheProgramIsTheCause(
      FailureCategory first, FailureCategory second, FailureCategory cause) {
    run();
    fail(0, first);
    fail(1, second);
    cancelled(2);
    assertThat(scene.job("g").setbacks().failures()).containsOnlyKeys(cause);
  }

  @Test
  void oneThatReturnsItsPartSendsAllOfItBackAndCostsNoRetry() {
    accept(0);
    accept(1);
    AttemptReports.Outcome outcome =
        scene.report(AnEvent.ended(member(2), Outcome.RETURNED).message("full"));
    assertThat(outcome.refusals()).extracting(AttemptReports.Refusal::host).containsExactly("c");
    cancelled(0);
    cancelled(1);
    assertThat(scene.inLine("g")).isTrue();
    assertThat(scene.job("g").setbacks().failures()).isEmpty();
    assertThat(scene.told(ToAgent.Start.class)).isEmpty();
  }

  @Test
  void oneThatDoesNotAcceptInTimeSendsAllOfItBack() {
    accept(0);
    accept(1);
    scene.transaction(unit -> SweepRules.close(unit, row -> row.rank() == 2));
    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(2);
    cancelled(0);
    cancelled(1);
    assertThat(scene.inLine("g")).isTrue();
    assertThat(scene.job("g").setbacks().failures()).isEmpty();
    assertThat(scene.reason("g")).contains("host c did not accept it in time");
  }

  @Test
  void aLostHostEndsItsMemberAloneAndTheOthersEndByTheirAgents() {
    run();
    scene.transaction(unit -> HostLoss.lose(unit, AHost.aHost("b").row(), true));
    assertThat(scene.members("g")).extracting(AttemptRow::host).containsExactly("a", "c");
    fail(0, FailureCategory.APP);
    cancelled(2);
    assertThat(scene.inLine("g")).isTrue();
    assertThat(scene.job("g").setbacks().failures()).containsOnlyKeys(FailureCategory.HOST_LOST);
  }

  @Test
  void itIsCancelledOnAllHostsAndOverWithTheLast() {
    run();
    scene.cancel("g");
    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(3);
    cancelled(0);
    fail(1, FailureCategory.APP);
    assertThat(scene.state("g")).isEqualTo(RequestState.RUNNING);
    cancelled(2);
    assertThat(scene.state("g")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.reason("g")).isEqualTo("not needed");
  }

  @Test
  void whoFailsBecauseAnotherWasMovedIsNoFailure() {
    run();
    scene.transaction(unit -> unit.attempts().put(member(1).cancelled("moved")));
    fail(0, FailureCategory.APP);
    cancelled(1);
    cancelled(2);
    assertThat(scene.inLine("g")).isTrue();
    assertThat(scene.job("g").setbacks().failures()).isEmpty();
  }

  /** Its member timed out by what it was given, and the others were being ended for that. */
  @Test
  void whoIsLostAfterATimeoutThatHadGrownFailsNobodyWhoWaitsLonger() {
    scene.post(
        aRequest("x").meaning("m").with("timeout", "6s").retry("hostLost", 0).resource("hosts", 2));
    List<AttemptRow> members = scene.placeGang("x", "a", "b");
    members.forEach(row -> scene.report(AnEvent.of(row, Type.ACCEPTED)));
    members.forEach(row -> scene.report(AnEvent.of(row, Type.RUNNING)));
    scene.post(
        aRequest("y")
            .meaning("m")
            .with("timeout", "20s")
            .retry("hostLost", 0)
            .resource("hosts", 2));
    scene.report(
        AnEvent.ended(members.getFirst(), Outcome.FAILED)
            .category(FailureCategory.TIMEOUT)
            .message("ran longer than its time-out of 6000 ms")
            .usage(new Usage(6_010L, null, null, null)));

    scene.transaction(unit -> HostLoss.lose(unit, AHost.aHost("b").row(), true));

    assertThat(scene.code("x")).isEqualTo(Code.TIMED_OUT);
    assertThat(scene.state("y")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("y").setbacks().failures()).isEmpty();
  }
}
