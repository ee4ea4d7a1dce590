package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus.Member;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.scenario.AnEvent;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job on several hosts: together or not at all. */
class GangTest extends GangScene {
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
