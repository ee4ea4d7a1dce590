package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Gang;
import io.stoker.common.state.FailureCategory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RunRulesTest {
  private final DeciderHarness agent = new DeciderHarness(2);

  @BeforeEach
  void running() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
  }

  static Stream<Arguments> ends() {
    Optional<String> none = Optional.empty();
    return Stream.of(
        Arguments.of(RunEnd.exit(0), Outcome.SUCCEEDED, null, null),
        Arguments.of(RunEnd.exit(7), Outcome.FAILED, FailureCategory.APP, "exit code 7"),
        Arguments.of(RunEnd.exit(137), Outcome.FAILED, FailureCategory.APP, "signal 9"),
        Arguments.of(RunEnd.unseen(), Outcome.LOST, null, "without leaving an exit code"),
        Arguments.of(
            end(1, none, Optional.of(FailureCategory.GPU_OOM)),
            Outcome.FAILED,
            FailureCategory.GPU_OOM,
            "exit code 1"),
        Arguments.of(
            end(0, Optional.of("the result file is not valid JSON"), Optional.empty()),
            Outcome.FAILED,
            FailureCategory.APP,
            "not valid JSON"));
  }

  private static RunEnd end(
      int code, Optional<String> problem, Optional<FailureCategory> category) {
    return new RunEnd(OptionalInt.of(code), Optional.empty(), problem, category, Optional.empty());
  }

  @Test
  void exited_nothingPrinted_theEndSaysSo() {
    RunEnd silent = RunEnd.exit(0).silent(true);

    assertThat(sent(agent.to(new Input.Exited(key("job", 1), silent))).getFirst().usage().silent())
        .isTrue();
  }

  @Test
  void steps_ofAProcessThatStartsAtOnce_mayWaitForItsEnd() {
    List<Effect> effects = new ArrayList<>(agent.tell(1, agent.place("short", 1)));
    effects.addAll(agent.started("short", 1));

    assertThat(only(effects, Effect.Send.class)).hasSize(2).allMatch(Effect.Send::mayWait);
    assertThat(
            only(
                agent.tell(1, agent.place("member", 1).in(new Gang(1, 2, "here:4001"))),
                Effect.Send.class))
        .noneMatch(Effect.Send::mayWait);
  }

  @ParameterizedTest
  @MethodSource("ends")
  void anEndIsToldAsItWas(RunEnd end, Outcome outcome, FailureCategory category, String message) {
    AttemptEvent event = sent(agent.to(new Input.Exited(key("job", 1), end))).getFirst();
    assertThat(event.type()).isEqualTo(Type.ENDED);
    assertThat(event.outcome()).isEqualTo(outcome);
    assertThat(event.category()).isEqualTo(category);
    if (message == null) {
      assertThat(event.message()).isNull();
    } else {
      assertThat(event.message()).contains(message);
    }
  }

  @Test
  void whatTheWatchdogMayHaveEndedForWantOfADeadlineIsLost() {
    DeciderHarness host = new DeciderHarness(2).ready(1);
    host.tell(1, host.place("killed", 1), host.place("failed", 1));
    host.started("killed", 1);
    host.started("failed", 1);
    host.to(new Input.PartJudged(Part.DEADLINE, Optional.of("read-only")));
    assertThat(sent(host.exited("killed", 1, 137)).getFirst().outcome()).isEqualTo(Outcome.LOST);
    assertThat(sent(host.exited("failed", 1, 1)).getFirst().outcome()).isEqualTo(Outcome.FAILED);
  }

  @Test
  void theTerminalReportIsJournaledBeforeItIsSentAndItsSlotIsFree() {
    List<Effect> effects = agent.exited("job", 1, 0);
    assertThat(((Effect.Journal) effects.getFirst()).entry())
        .isInstanceOf(JournalEntry.Ended.class);
    assertThat(effects.get(1)).isInstanceOf(Effect.Send.class);
    assertThat(agent.state.ledger().freeCpuSlots()).isEqualTo(2);
  }

  @Test
  void progressIsToldAtMostOnceASecond() {
    assertThat(sent(progress(1))).hasSize(1);
    agent.now += 999;
    assertThat(sent(progress(2))).isEmpty();
    agent.now += 1;
    assertThat(sent(progress(3)))
        .singleElement()
        .extracting(AttemptEvent::progress)
        .isEqualTo(IntNode.valueOf(3));
  }

  private List<Effect> progress(int value) {
    return agent.to(new Input.Progress(key("job", 1), IntNode.valueOf(value), value));
  }

  @Test
  void everyIntermediateResultIsTold() {
    for (int i = 0; i < 3; i++) {
      assertThat(sent(agent.to(new Input.Result(key("job", 1), TextNode.valueOf("r" + i), i + 1))))
          .extracting(AttemptEvent::type)
          .containsExactly(Type.RESULT);
    }
  }

  @Test
  void numbersOfEventsRiseAlsoThroughARestart() {
    int before = 0;
    for (int i = 0; i < 200; i++) {
      int seq =
          sent(agent.to(new Input.Result(key("job", 1), TextNode.valueOf("r"), i + 1)))
              .getFirst()
              .seq();
      assertThat(seq).isGreaterThan(before);
      before = seq;
    }
    agent.restart(2, agent.now + 20_000);
    agent.ready(2);
    assertThat(sent(agent.exited("job", 1, 0)).getFirst().seq()).isGreaterThan(before);
  }

  @Test
  void aTimeOutKillsAndFailsWithTimeout() {
    agent.tell(1, agent.place("slow", 1, agent.now + 10_000, 5_000L));
    agent.started("slow", 1);
    agent.now += 4_999;
    agent.to(new Input.HeartbeatAcked(1, agent.now));
    assertThat(only(agent.to(new Input.Tick()), Effect.Kill.class)).isEmpty();
    assertThat(agent.decider.nextTick(agent.state).orElseThrow()).isLessThan(agent.now + 2);
    agent.now += 1;
    assertThat(only(agent.to(new Input.Tick()), Effect.Kill.class))
        .extracting(Effect.Kill::key)
        .containsExactly(key("slow", 1));
    AttemptEvent ended = sent(agent.exited("slow", 1, 143)).getFirst();
    assertThat(ended.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(ended.category()).isEqualTo(FailureCategory.TIMEOUT);
    assertThat(ended.message()).contains("5000");
  }

  @Test
  void aMissingProgramIsALaunchFailureThatNamesIt() {
    agent.tell(1, agent.place("bad", 1));
    AttemptEvent ended =
        sent(agent.to(
                new Input.NotStarted(
                    key("bad", 1), Input.Cause.LAUNCH, "program nosuch was not found")))
            .getFirst();
    assertThat(ended.category()).isEqualTo(FailureCategory.LAUNCH);
    assertThat(ended.message()).contains("nosuch");
  }

  @Test
  void whatTheWrapperRefusesAtTheLastMomentIsReturned() {
    agent.tell(1, agent.place("late", 1));
    AttemptEvent ended =
        sent(agent.to(
                new Input.NotStarted(
                    key("late", 1), Input.Cause.REFUSED, "the watchdog is not running")))
            .getFirst();
    assertThat(ended.outcome()).isEqualTo(Outcome.RETURNED);
  }

  @Test
  void everyStartNumbersItsEventsBeyondWhatTheStartsBeforeItMayHaveSaid() {
    agent.restart(2, agent.now + 30_000);
    agent.restart(2, agent.now + 30_000);
    int last = sent(agent.started("job", 1)).stream().mapToInt(AttemptEvent::seq).max().orElse(0);
    agent.restart(2, agent.now + 30_000);

    AttemptEvent end = sent(agent.exited("job", 1, 0)).getFirst();

    assertThat(end.seq()).isGreaterThan(Math.max(last, 2 * LiveAttempt.SEQ_BLOCK));
  }

  @Test
  void anEndAfterTwoStartsIsNewerThanTheStartToldBetweenThem() {
    DeciderHarness other = new DeciderHarness(2);
    other.ready(1);
    other.tell(1, other.place("job", 1));
    other.restart(2, other.now + 30_000);
    int running = sent(other.started("job", 1)).getFirst().seq();
    other.restart(2, other.now + 30_000);

    assertThat(sent(other.exited("job", 1, 0)).getFirst().seq()).isGreaterThan(running);
  }

  /** How long it may run grows when another request shares it. */
  @Test
  void aTimeOutThatHasGrownCountsAlsoAfterARestart() {
    agent.tell(1, agent.place("slow", 1, agent.now + 10_000, 5_000L));
    agent.started("slow", 1);
    agent.tell(1, new ToAgent.SetTimeout("slow", 1, 20_000L));
    agent.tell(1, new ToAgent.SetTimeout("slow", 1, 6_000L));
    agent.now += 5_000;
    assertThat(only(agent.to(new Input.Tick()), Effect.Kill.class)).isEmpty();
    agent.restart(2, agent.now + 20_000);
    agent.ready(2);
    agent.now += 14_999;
    assertThat(only(agent.to(new Input.Tick()), Effect.Kill.class)).isEmpty();
    agent.now += 1;
    assertThat(only(agent.to(new Input.Tick()), Effect.Kill.class)).hasSize(1);
  }

  @Test
  void whatMayRunForEverIsNotTimed() {
    agent.tell(1, agent.place("slow", 1, agent.now + 10_000, 5_000L));
    agent.started("slow", 1);
    agent.tell(1, new ToAgent.SetTimeout("slow", 1, null));
    agent.tell(1, new ToAgent.SetTimeout("slow", 1, 6_000L), new ToAgent.SetTimeout("x", 1, 1L));
    agent.now += 10_000;
    assertThat(only(agent.to(new Input.Tick()), Effect.Kill.class)).isEmpty();
    assertThat(agent.state.timed()).isEmpty();
  }
}
