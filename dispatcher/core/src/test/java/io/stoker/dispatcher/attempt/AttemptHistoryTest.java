package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.host.Draining;
import io.stoker.dispatcher.host.HostLoss;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.PastAttempt;
import io.stoker.dispatcher.model.PastAttempt.How;
import io.stoker.dispatcher.scenario.AnEvent;
import io.stoker.dispatcher.scenario.Scene;
import io.stoker.dispatcher.timer.SweepRules;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is remembered of attempts that are over. */
class AttemptHistoryTest {
  private static final String HOST = "h1";

  private final Scene scene = new Scene();

  /** How a first attempt can come to its end, after which another one follows. */
  enum Way {
    FAILED(How.FAILED, "h1 said so", scene -> ended(scene, Outcome.FAILED, FailureCategory.APP)),
    LOST_BY_ITS_AGENT(How.LOST, "h1 said so", scene -> ended(scene, Outcome.LOST, null)),
    HOST_LOST(
        How.LOST, "host h1 was lost: no heartbeat within its lease", scene -> lose(scene, true)),
    LOST_WITH_MANY_HOSTS(
        How.LOST, "host h1 was lost: no heartbeat within its lease", scene -> lose(scene, false)),
    RETURNED(
        How.RETURNED, "returned by h1: h1 said so", scene -> ended(scene, Outcome.RETURNED, null)),
    ENDED_BY_ITS_AGENT(How.RETURNED, "h1 said so", scene -> ended(scene, Outcome.CANCELLED, null)),
    EXPIRED(
        How.EXPIRED,
        "host h1 did not accept it in time",
        scene -> scene.transaction(unit -> SweepRules.close(unit, attempt -> true))),
    PREEMPTED(
        How.PREEMPTED,
        "room for b",
        scene -> {
          change(scene, row -> row.preempted(new AttemptRow.Preempted("b", null), "room for b"));
          ended(scene, Outcome.CANCELLED, null);
        }),
    DRAINED(
        How.DRAINED,
        "moved, as host h1 is drained",
        scene -> {
          HostRow host = aHost(HOST).row().drained(null, new HostRow.Drain(0L, null));
          scene.transaction(unit -> Draining.move(unit, host));
          ended(scene, Outcome.CANCELLED, null);
        });

    private final How how;
    private final String reason;
    private final Consumer<Scene> end;

    Way(How how, String reason, Consumer<Scene> end) {
      this.how = how;
      this.reason = reason;
      this.end = end;
    }

    private static void ended(Scene scene, Outcome outcome, FailureCategory category) {
      scene.report(
          AnEvent.ended(scene.attempt("a"), outcome).category(category).message("h1 said so"));
    }

    private static void lose(Scene scene, boolean costsRetry) {
      scene.transaction(unit -> HostLoss.lose(unit, aHost(HOST).row(), costsRetry));
    }

    private static void change(Scene scene, java.util.function.UnaryOperator<AttemptRow> by) {
      scene.transaction(unit -> unit.attempts().put(by.apply(scene.attempt("a"))));
    }
  }

  @BeforeEach
  void posted() {
    scene.post(aRequest("a").retry("app", 200));
  }

  @ParameterizedTest
  @EnumSource
  void anAttemptThatAnotherFollowsIsKeptHoweverItEnded(Way way) {
    long placed = scene.store().now();
    scene.run("a");
    scene.store().pass(5_000);

    way.end.accept(scene);

    assertThat(scene.inLine("a")).isTrue();
    assertThat(scene.store().past()).hasSize(1);
    PastAttempt kept = scene.store().past().getFirst();
    assertThat(kept.how()).isEqualTo(way.how);
    assertThat(kept.reason()).isEqualTo(way.reason);
    assertThat(kept.number()).isEqualTo(1);
    assertThat(kept.host()).isEqualTo(HOST);
    assertThat(kept.placedAt()).isEqualTo(placed);
    assertThat(kept.runningSince()).isEqualTo(placed);
    assertThat(kept.endedAt()).isEqualTo(placed + 5_000);
  }

  @Test
  void aPlainJobsOnlyAttemptIsToldOfByItsJob() {
    AttemptRow attempt = scene.placeOnGpu("a", HOST);
    scene.store().pass(9_000);
    Usage took = new Usage(4_000L, null, null, null);
    scene.report(AnEvent.ended(attempt, Outcome.SUCCEEDED).exitCode(0).devices("1").usage(took));

    assertThat(scene.store().past()).isEmpty();
    PastAttempt only = PastAttempt.of(scene.job("a"));
    assertThat(only.how()).isEqualTo(How.SUCCEEDED);
    assertThat(only.host()).isEqualTo(HOST);
    assertThat(only.devices()).containsExactly("1");
    assertThat(only.endedAt()).isEqualTo(scene.store().now());
    assertThat(only.runningSince()).isEqualTo(scene.store().now() - 4_000);
    assertThat(only.exitCode()).isZero();
  }

  @Test
  void theLastOfSeveralIsKeptWithTheOthers() {
    scene.run("a");
    Way.FAILED.end.accept(scene);
    scene.run("a");
    scene.cancel("a");
    scene.report("a", Type.ENDED, Outcome.CANCELLED, null);

    assertThat(scene.store().past())
        .extracting(PastAttempt::number, PastAttempt::how, PastAttempt::reason)
        .containsExactly(tuple(1, How.FAILED, "h1 said so"), tuple(2, How.CANCELLED, "not needed"));
  }

  @Test
  void ofAJobThatIsTriedForEverTheFirstAndTheLastAreKept() {
    for (int number = 1; number <= 170; number++) {
      scene.run("a");
      Way.FAILED.end.accept(scene);
    }

    assertThat(scene.store().past())
        .extracting(PastAttempt::number)
        .containsExactlyElementsOf(
            IntStream.concat(IntStream.rangeClosed(1, 50), IntStream.rangeClosed(121, 170))
                .boxed()
                .toList());
  }

  @Test
  void ofAGangEachMemberIsKept() {
    scene.post(aRequest("g").resource("hosts", 2));
    List<AttemptRow> members = scene.placeGang("g", "x", "y");
    for (AttemptRow member : members) {
      scene.report(AnEvent.of(member, Type.ACCEPTED).devices("D").address(member.host() + ":40"));
    }
    scene.report(
        AnEvent.ended(scene.members("g").getFirst(), Outcome.FAILED)
            .seq(9)
            .category(FailureCategory.APP)
            .message("bad"));
    scene.report(
        AnEvent.ended(scene.members("g").getFirst(), Outcome.CANCELLED).seq(9).message("killed"));

    assertThat(scene.store().past())
        .extracting(PastAttempt::rank, PastAttempt::host, PastAttempt::how)
        .containsExactly(tuple(0, "x", How.FAILED), tuple(1, "y", How.WITH_GANG));
  }
}
