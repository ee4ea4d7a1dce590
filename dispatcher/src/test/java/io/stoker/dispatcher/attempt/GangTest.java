package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus.Member;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.lease.HostLoss;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.AnEvent;
import io.stoker.dispatcher.scenario.Scene;
import io.stoker.dispatcher.timer.SweepRules;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A job on several hosts: together or not at all. */
class GangTest {
  private final Scene scene = new Scene();

  @BeforeEach
  void placed() {
    scene.post(aRequest("g").resource("hosts", 3));
    scene.placeGang("g", "a", "b", "c");
  }

  private AttemptRow member(int rank) {
    return scene.members("g").stream().filter(row -> row.rank() == rank).findFirst().orElseThrow();
  }

  private void accept(int rank) {
    AttemptRow row = member(rank);
    scene.report(AnEvent.of(row, Type.ACCEPTED).devices("D" + rank).address(row.host() + ":40"));
  }

  private void run() {
    for (int rank = 0; rank < 3; rank++) {
      accept(rank);
    }
    for (int rank = 0; rank < 3; rank++) {
      scene.report(AnEvent.of(member(rank), Type.RUNNING));
    }
  }

  private void fail(int rank, FailureCategory category) {
    scene.report(
        AnEvent.ended(member(rank), Outcome.FAILED).category(category).message("rank " + rank));
  }

  private void cancelled(int rank) {
    scene.report(AnEvent.ended(member(rank), Outcome.CANCELLED).message("killed"));
  }

  private void succeed(int rank, String result) {
    scene.report(AnEvent.ended(member(rank), Outcome.SUCCEEDED).exitCode(0).result(result));
  }

  @Test
  void itsMembersFailuresCostItsGroupOneRetryTogether() {
    scene.store().limitRetries("exp", 2);
    scene.post(aRequest("h").resource("hosts", 2).with("group", "exp").retry("app", 5));
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(scene.state("h")).isEqualTo(RequestState.QUEUED);
      scene.placeGang("h", "a", "b");
      for (AttemptRow row : scene.members("h")) {
        scene.report(AnEvent.of(row, Type.ACCEPTED).address(row.host() + ":40"));
      }
      for (AttemptRow row : scene.members("h")) {
        scene.report(AnEvent.ended(row, Outcome.FAILED).category(FailureCategory.APP));
      }
      assertThat(scene.store().budget("exp").used()).isEqualTo(Math.min(attempt, 2));
    }
    assertThat(scene.state("h")).isEqualTo(RequestState.FAILED);
    assertThat(scene.reason("h"))
        .endsWith(
            "no retry follows, since its group exp has used the 2 that its jobs have together");
  }

  @Test
  void itIsOneAttemptWithATokenForEachMember() {
    List<AttemptRow> rows = scene.members("g");
    assertThat(rows)
        .extracting(AttemptRow::rank, AttemptRow::host, AttemptRow::number)
        .containsExactly(tuple(0, "a", 1), tuple(1, "b", 1), tuple(2, "c", 1));
    assertThat(rows).extracting(AttemptRow::token).doesNotHaveDuplicates();
    assertThat(scene.status("g").state()).isEqualTo(RequestState.PLACED);
    assertThat(scene.status("g").host()).isEqualTo("a");
    assertThat(scene.status("g").members())
        .containsExactly(
            new Member(0, "a", List.of()),
            new Member(1, "b", List.of()),
            new Member(2, "c", List.of()));
  }

  @Test
  void nobodyIsToldToStartBeforeAllHaveAccepted() {
    accept(0);
    accept(2);
    assertThat(scene.told(ToAgent.Start.class)).isEmpty();

    accept(1);

    assertThat(scene.told(ToAgent.Start.class))
        .hasSize(3)
        .containsOnly(new ToAgent.Start(scene.job("g").id(), 1, "a:40"));
  }

  @Test
  void onlyThoseThatDoNotRunYetAreToldAgain() {
    run();
    int told = scene.told(ToAgent.Start.class).size();
    scene.transaction(GangStart::tellAll);
    assertThat(scene.told(ToAgent.Start.class)).hasSize(told);
  }

  @Test
  void whoWasNotReachedIsToldThoughAnotherHasSucceeded() {
    for (int rank = 0; rank < 3; rank++) {
      accept(rank);
    }
    scene.report(AnEvent.of(member(0), Type.RUNNING));
    succeed(0, "1");
    int told = scene.told(ToAgent.Start.class).size();

    scene.transaction(GangStart::tellAll);

    assertThat(scene.told(ToAgent.Start.class)).hasSize(told + 2);
  }

  @Test
  void itRunsWithTheDevicesOfAllMembers() {
    run();
    assertThat(scene.status("g").state()).isEqualTo(RequestState.RUNNING);
    assertThat(scene.status("g").devices()).containsExactly("D0");
    assertThat(scene.status("g").members())
        .extracting(Member::devices)
        .containsExactly(List.of("D0"), List.of("D1"), List.of("D2"));
  }

  @Test
  void whatItsRequestsShowChangesWithAHigherVersionAlone() {
    long placed = scene.status("g").version();
    accept(1);
    long accepted = scene.status("g").version();
    assertThat(accepted).as("its devices are known").isGreaterThan(placed);
    accept(0);
    accept(2);
    long all = scene.status("g").version();
    succeed(1, "1");
    assertThat(scene.status("g").version()).isEqualTo(all);
    assertThat(scene.status("g").exitCode()).isNull();
  }

  @Test
  void progressAndResultAreThoseOfRank0() {
    run();
    scene.report(AnEvent.of(member(1), Type.PROGRESS).progress("0.9"));
    assertThat(scene.status("g").progress()).isNull();
    scene.report(AnEvent.of(member(0), Type.PROGRESS).progress("0.5"));
    assertThat(scene.status("g").progress().doubleValue()).isEqualTo(0.5);

    succeed(0, "[7]");
    succeed(2, "[9]");
    assertThat(scene.state("g")).as("one is still running").isEqualTo(RequestState.RUNNING);
    assertThat(scene.status("g").result()).isNull();
    succeed(1, null);

    assertThat(scene.state("g")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.status("g").score()).isEqualTo(7);
    assertThat(scene.status("g").exitCode()).isZero();
    assertThat(scene.members("g")).isEmpty();
  }

  @Test
  void whatItTookIsTheSumOfAllMembers() {
    run();
    scene.report(
        AnEvent.ended(member(0), Outcome.SUCCEEDED)
            .usage(new Usage(900L, 10L, 5L, null, 40, 900L, null, 70L)));
    scene.report(
        AnEvent.ended(member(1), Outcome.SUCCEEDED)
            .usage(new Usage(1000L, 20L, 6L, 7L, 60, 1000L, null, 60L)));
    succeed(2, null);
    assertThat(scene.status("g").usage())
        .isEqualTo(new Usage(1000L, 30L, 11L, 7L, 50, 1900L, null, 70L));
  }

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
    assertThat(scene.job("g").avoid().hosts()).containsExactly("b");
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
    assertThat(scene.job("g").failures()).containsOnlyKeys(cause);
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
    assertThat(scene.job("g").failures()).isEmpty();
    assertThat(scene.told(ToAgent.Start.class)).isEmpty();
  }

  @Test
  void oneThatDoesNotAcceptInTimeSendsAllOfItBack() {
    accept(0);
    accept(1);
    scene.transaction(ledger -> SweepRules.close(ledger, row -> row.rank() == 2));
    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(2);
    cancelled(0);
    cancelled(1);
    assertThat(scene.inLine("g")).isTrue();
    assertThat(scene.job("g").failures()).isEmpty();
    assertThat(scene.reason("g")).contains("host c did not accept it in time");
  }

  @Test
  void aLostHostEndsItsMemberAloneAndTheOthersEndByTheirAgents() {
    run();
    scene.transaction(ledger -> HostLoss.lose(ledger, AHost.aHost("b").row(), true));
    assertThat(scene.members("g")).extracting(AttemptRow::host).containsExactly("a", "c");
    fail(0, FailureCategory.APP);
    cancelled(2);
    assertThat(scene.inLine("g")).isTrue();
    assertThat(scene.job("g").failures()).containsOnlyKeys(FailureCategory.HOST_LOST);
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
    scene.transaction(ledger -> ledger.attempts().put(member(1).cancelled("moved")));
    fail(0, FailureCategory.APP);
    cancelled(1);
    cancelled(2);
    assertThat(scene.inLine("g")).isTrue();
    assertThat(scene.job("g").failures()).isEmpty();
  }

  @Test
  void aMembersEventCountsForItselfAlone() {
    AttemptRow b = member(1);
    assertThat(scene.report(AnEvent.of(b, Type.ACCEPTED).from("a")).distrusted())
        .singleElement()
        .satisfies(one -> assertThat(one.reason()).contains("wrong lease token"));
    assertThat(scene.report(AnEvent.of(b, Type.ACCEPTED).from("elsewhere")).distrusted())
        .hasSize(1);
  }

  @Test
  void aLateEventOfAMemberThatIsOverIsAnsweredAndChangesNothing() {
    run();
    AttemptRow b = member(1);
    succeed(1, null);
    int forgets = scene.told(ToAgent.Forget.class).size();
    scene.report(AnEvent.ended(b, Outcome.SUCCEEDED));
    assertThat(scene.told(ToAgent.Forget.class)).hasSize(forgets + 1);
    assertThat(scene.members("g")).hasSize(2);
  }
}
