package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.ToAgent.Cancel;
import io.stoker.common.message.ToAgent.Forget;
import io.stoker.common.message.ToAgent.Welcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseRulesTest {
  private final DeciderHarness agent = new DeciderHarness(2);

  @Test
  void helloIsRepeatedUntilWelcomedAndHeartbeatsFollow() {
    agent.now += 2_000;
    assertThat(only(agent.to(new Input.Tick()), Effect.SayHello.class)).hasSize(1);
    assertThat(only(agent.to(new Input.Tick()), Effect.SayHello.class)).isEmpty();
    agent.now += 2_000;
    assertThat(only(agent.to(new Input.Tick()), Effect.SayHello.class)).hasSize(1);
    agent.welcomed(1);
    agent.now += 2_000;
    List<Effect> effects = agent.to(new Input.Tick());
    assertThat(only(effects, Effect.SayHello.class)).isEmpty();
    assertThat(only(effects, Effect.SayHeartbeat.class))
        .containsExactly(new Effect.SayHeartbeat(1, 2, agent.now));
  }

  @Test
  void helloIsSaidOftenAtFirstAndThenEveryTwoSeconds() {
    List<Long> said = new ArrayList<>();
    long first = agent.now; // it is said when the harness begins
    for (; agent.now < first + 20_000; agent.now += 100) {
      if (!only(agent.to(new Input.Tick()), Effect.SayHello.class).isEmpty()) {
        said.add(agent.now - first);
      }
    }

    assertThat(said).startsWith(500L, 1_000L, 1_500L, 2_000L);
    assertThat(said.getLast() - said.get(said.size() - 2)).isEqualTo(2_000);
    assertThat(said).hasSizeLessThan(18);
  }

  @Test
  void aHelloWaitsLongerForItsAnswerTheMoreWereGivenUp() {
    Lease lease = new Lease("start", 0);
    List<Long> givenUp = new ArrayList<>();
    String nonce = lease.nonce();
    for (long now = 0; now < 120_000; now += 500) {
      lease.takeHello(now, 500);
      if (!lease.nonce().equals(nonce)) {
        nonce = lease.nonce();
        givenUp.add(now);
      }
    }

    assertThat(givenUp).containsExactly(10_500L, 31_000L, 71_500L, 112_000L);
    Welcome late = new Welcome(nonce, 1, 0, 30_000, 2_000, 60_000);
    assertThat(lease.welcomed(late, 120_000)).isTrue();
  }

  private static Lease welcomed(long leaseMs, long heartbeatMs, long inventoryMs) {
    Lease lease = new Lease("start", 0);
    lease.takeHello(0, 500);
    Welcome welcome = new Welcome(lease.nonce(), 1, 0, leaseMs, heartbeatMs, inventoryMs);
    assertThat(lease.welcomed(welcome, 0)).isTrue();
    return lease;
  }

  @Test
  void noIntervalThatIsToldHasTheAgentSpeakWithoutAPause() {
    for (long told : List.of(Long.MIN_VALUE, -1L, 0L, 1L, Long.MAX_VALUE)) {
      Lease lease = welcomed(30_000, told, told);
      int said = 0;
      for (long now = 0; now < 1_000; now++) {
        said += lease.takeHeartbeat(now).isPresent() ? 1 : 0;
        said += lease.takeInventory(now).isPresent() ? 1 : 0;
      }
      assertThat(said).as("%d ms", told).isBetween(2, 200);
      assertThat(lease.nextDue()).as("%d ms", told).isGreaterThan(999);
    }
  }

  @Test
  void theLongestLeaseThatCanBeToldHoldsToo() {
    Lease lease = welcomed(Long.MAX_VALUE, 2_000, 60_000);

    assertThat(lease.acknowledged(1, 10)).isTrue();
    assertThat(lease.mayStart(3_600_000)).isTrue();
    assertThat(lease.epochLapsed(3_600_000)).isFalse();
  }

  @Test
  void aWelcomeWithoutALeaseIsNoneAndIsNotAnsweredAtOnceByAnotherHello() {
    for (long told : List.of(Long.MIN_VALUE, -1L, 0L)) {
      DeciderHarness fresh = new DeciderHarness(2);
      Lease lease = fresh.state.lease();
      fresh.tell(0, new Welcome(lease.nonce(), 1, fresh.now, told, 2_000, 60_000));

      assertThat(lease.epoch()).isEmpty();
      assertThat(only(fresh.to(new Input.Tick()), Effect.SayHello.class)).isEmpty();
    }
  }

  @Test
  void noHelloIsSaidBeforeItIsKnownWhereItsAnswerWillBeRead() {
    AgentState fresh = AgentState.replay(List.of(), agent.state.ledger(), new Lease("other", 0));
    List<Effect> effects = agent.decider.decide(fresh, new Input.Tick(), new Now(1, 1));
    assertThat(only(effects, Effect.SayHello.class)).isEmpty();
    assertThat(agent.decider.nextTick(fresh)).isEmpty();
  }

  @Test
  void theDeadlineFollowsTheSendingOfAcknowledgedHeartbeats() {
    agent.ready(1);
    long sent = agent.now;
    agent.now += 5_000;
    List<Effect> effects = agent.to(new Input.HeartbeatAcked(1, sent + 1_000));
    assertThat(only(effects, Effect.MoveDeadline.class))
        .containsExactly(new Effect.MoveDeadline(sent + 1_000 + DeciderHarness.LEASE));
    assertThat(only(agent.to(new Input.HeartbeatAcked(1, sent)), Effect.MoveDeadline.class))
        .as("an older one moves nothing")
        .isEmpty();
    assertThat(only(agent.to(new Input.HeartbeatAcked(7, agent.now)), Effect.MoveDeadline.class))
        .as("nor does another epoch's")
        .isEmpty();
  }

  @Test
  void anAgentPastItsDeadlineDropsItsEpochKillsAndSaysHelloWithANewNonce() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    String nonce = agent.state.lease().nonce();
    agent.now += DeciderHarness.LEASE;
    List<Effect> effects = agent.tell(1, agent.place("other", 1));
    assertThat(only(effects, Effect.Kill.class)).containsExactly(new Effect.Kill(key("job", 1), 0));
    assertThat(only(effects, Effect.Launch.class)).isEmpty();
    assertThat(only(effects, Effect.DeadLetter.class)).hasSize(1);
    assertThat(only(effects, Effect.SayHello.class))
        .singleElement()
        .satisfies(hello -> assertThat(hello.nonce()).isNotEqualTo(nonce));
    AttemptEvent lost = sent(agent.exited("job", 1, 137)).getFirst();
    assertThat(lost.outcome()).isEqualTo(Outcome.LOST);
  }

  @Test
  void whatEndedByItselfBeforeTheLapseTellsItsOwnEnd() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    agent.now += DeciderHarness.LEASE;
    agent.to(new Input.Tick());
    assertThat(sent(agent.exited("job", 1, 0)).getFirst().outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void whatWasAcceptedAndNeverStartedIsNotStartedInALaterEpoch() {
    agent.welcomed(1);
    agent.tell(1, agent.place("job", 1));
    agent.now += DeciderHarness.LEASE;
    assertThat(sent(agent.to(new Input.Tick())))
        .extracting(AttemptEvent::outcome)
        .containsExactly(Outcome.RETURNED);
    agent.ready(2);
    assertThat(agent.state.liveKeys()).isEmpty();
  }

  @Test
  void aRestartWithinTheLeaseAdoptsAndOneAfterItKills() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    long deadline = agent.now + DeciderHarness.LEASE;
    agent.now = deadline - 1;
    List<Effect> within = agent.restart(2, deadline);
    assertThat(only(within, Effect.Adopt.class)).hasSize(1);
    assertThat(only(within, Effect.Kill.class)).isEmpty();
    agent.now = deadline;
    List<Effect> after = agent.restart(2, deadline);
    assertThat(only(after, Effect.Adopt.class)).hasSize(1);
    assertThat(only(after, Effect.Kill.class)).hasSize(1);
  }

  @Test
  void whatWasKilledBeforeItsAgentKnewIt_isNotBlamed() {
    assertThat(adoptedAndExited(137)).isEqualTo(Outcome.LOST);
  }

  @Test
  void whatFailedWhileItsAgentWasAway_isBlamed() {
    assertThat(adoptedAndExited(3)).isEqualTo(Outcome.FAILED);
  }

  private Outcome adoptedAndExited(int code) {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    agent.restart(2, agent.now + 20_000);
    return sent(agent.exited("job", 1, code)).getLast().outcome();
  }

  @Test
  void aLaunchThatWasLostWithTheAgentIsMadeAgainOnceTheLeaseAllows() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    List<Effect> adopting = agent.restart(2, agent.now + 20_000);
    assertThat(only(adopting, Effect.Adopt.class)).hasSize(1);
    assertThat(only(unclaimed(), Effect.Launch.class)).isEmpty();
    agent.to(new Input.Tick());
    Welcome welcome = new Welcome(agent.state.lease().nonce(), 2, agent.now, 30_000, 2_000, 60_000);
    assertThat(only(agent.tell(0, welcome), Effect.Launch.class)).hasSize(1);
  }

  private List<Effect> unclaimed() {
    return agent.to(
        new Input.NotStarted(key("job", 1), Input.Cause.UNCLAIMED, "its launch was lost"));
  }

  @Test
  void terminalReportsAreSentAgainAfterARestartUntilForgotten() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    AttemptEvent ended = sent(agent.exited("job", 1, 0)).getFirst();
    assertThat(sent(agent.restart(2, 0))).containsExactly(ended);
    assertThat(agent.state.held())
        .containsExactly(new HeldAttempt("job", 1, ended.seq(), false, Outcome.SUCCEEDED));
    agent.ready(2);
    agent.tell(2, new Forget("job", 1));
    assertThat(sent(agent.restart(2, 0))).isEmpty();
    assertThat(agent.state.held()).isEmpty();
  }

  @Test
  void aSnapshotReplaysToTheSameState() {
    agent.ready(1);
    agent.tell(1, agent.place("a", 1), agent.place("b", 2), agent.place("c", 3));
    agent.started("a", 1);
    agent.tell(1, new Cancel("b", 2, "x"));
    List<JournalEntry> snapshot = agent.state.snapshot();
    List<HeldAttempt> held = agent.state.held();
    agent.journal.clear();
    agent.journal.addAll(snapshot);
    List<Effect> effects = agent.restart(2, agent.now + 20_000);
    assertThat(only(effects, Effect.Adopt.class)).hasSize(2);
    assertThat(only(effects, Effect.Kill.class))
        .extracting(Effect.Kill::key)
        .containsExactly(key("b", 2));
    assertThat(agent.state.held())
        .extracting(HeldAttempt::job, HeldAttempt::running)
        .containsExactlyInAnyOrderElementsOf(
            held.stream().map(one -> tuple(one.job(), one.running())).toList());
    assertThat(agent.state.nextOffset()).isPresent();
  }

  @Test
  void stoppingWithItsJobsEndsThemThenSaysGoodbye() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    List<Effect> asked = agent.to(new Input.StopAsked(true));
    assertThat(only(asked, Effect.Kill.class)).hasSize(1);
    assertThat(only(asked, Effect.Stopped.class)).isEmpty();
    List<Effect> gone = agent.exited("job", 1, 143);
    assertThat(gone).contains(new Effect.SayGoodbye(1), new Effect.Stopped());
  }

  @Test
  void stoppingWithoutThemLeavesThemToTheNextAgent() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    List<Effect> effects = agent.to(new Input.StopAsked(false));
    assertThat(effects).contains(new Effect.Stopped());
    assertThat(only(effects, Effect.Kill.class)).isEmpty();
    assertThat(only(effects, Effect.SayGoodbye.class)).isEmpty();
  }

  @Test
  void aLateWelcomeDoesNotExtendTheTimeForTheFirstHeartbeat() {
    DeciderHarness late = new DeciderHarness(1);
    late.to(new Input.Tick());
    String asked = late.state.lease().nonce();
    long at = late.now;
    late.now += 20_000;
    late.tell(0, new Welcome(asked, 1, at, 30_000, 2_000, 60_000));
    late.now = at + 30_000;

    late.to(new Input.Tick());

    assertThat(late.state.lease().epoch()).as("the dispatcher counts from the hello").isEmpty();
  }
}
