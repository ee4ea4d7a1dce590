package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.gpus;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.stoker.agent.attempt.Idle.Action;
import io.stoker.agent.attempt.Input.DeviceSample;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.state.FailureCategory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job whose GPUs must be 10 % busy at least, once in 5 s; samples are a second apart. */
class IdleTest {
  private static final int BELOW = 10;
  private static final long WINDOW = 5_000;

  @ParameterizedTest
  @CsvSource({
    // what its two GPUs are busy, second by second; - = does not tell; the second it is told in
    "0/0 0/0 0/0 0/0 0/0 0/0 0/0, 5",
    "9/9 9/9 9/9 9/9 9/9 9/9 9/9, 5",
    "10/0 10/0 10/0 10/0 10/0 10/0 10/0, -1",
    "0/90 0/0 0/0 0/0 0/0 0/0 0/0, 6",
    "0/0 0/0 0/0 99/0 0/0 0/0 0/0 0/0 0/0 0/0, 9",
    "0/0 0/0 0/0 -/0 0/0 0/0 0/0 0/0 0/0 0/0, 9",
    "-/- -/- -/- -/- -/- -/- -/-, -1",
  })
  void isToldOnceAllOfItsGpusHaveBeenIdleForTheWholeWindow(String busy, int told) {
    DeciderHarness agent = running(Action.WARN);

    List<Integer> seconds = new ArrayList<>();
    String[] samples = busy.split(" ");
    for (int i = 0; i < samples.length; i++) {
      if (!sent(sample(agent, samples[i])).isEmpty()) {
        seconds.add(i);
      }
    }

    assertThat(seconds).isEqualTo(told < 0 ? List.of() : List.of(told));
  }

  @Test
  void saysForHowLongAndOnceItWorksAgainThatThatIsOver() {
    DeciderHarness agent = running(Action.WARN);

    AttemptEvent warning = sent(idle(agent, 6)).getFirst();

    assertThat(warning.type()).isEqualTo(AttemptEvent.Type.PROGRESS);
    assertThat(warning.warning()).isEqualTo(Warning.GPU_IDLE);
    assertThat(warning.message()).isEqualTo("its 2 GPUs have been below 10 % for 5 s");
    assertThat(sent(idle(agent, 20))).as("it is told once").isEmpty();
    assertThat(sent(sample(agent, "0/50")))
        .singleElement()
        .extracting(AttemptEvent::warning)
        .isEqualTo(Warning.OVER);
    assertThat(sent(sample(agent, "0/50"))).isEmpty();
    assertThat(sent(idle(agent, 6))).as("and again for the next time").hasSize(1);
  }

  @Test
  void whereThatIsConfiguredItIsEndedGracefullyAndHasBrokenALimit() {
    DeciderHarness agent = running(Action.END);

    List<Effect> effects = idle(agent, 6);

    assertThat(only(effects, Effect.Kill.class))
        .singleElement()
        .extracting(Effect.Kill::graceMs)
        .isEqualTo(AgentRules.standard().times().grace());
    AttemptEvent ended = sent(agent.exited("a", 1, 143)).getFirst();
    assertThat(ended.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(ended.category()).isEqualTo(FailureCategory.LIMIT);
    assertThat(ended.warning()).isEqualTo(Warning.GPU_IDLE);
    assertThat(ended.message()).contains("for 5 s: ended to free them");
  }

  @Test
  void aRestartedAgentEndsWhatItWasAboutToEndForTheSameReason() {
    DeciderHarness agent = running(Action.END);
    idle(agent, 6);

    agent.restart(gpus("0", "1"), agent.now);

    assertThat(sent(agent.exited("a", 1, 143)).getFirst().category())
        .isEqualTo(FailureCategory.LIMIT);
  }

  @Test
  void aRestartedAgentCountsAnew() {
    DeciderHarness agent = running(Action.WARN);
    idle(agent, 4);

    agent.restart(gpus("0", "1"), agent.now);

    assertThat(sent(idle(agent, 4))).isEmpty();
  }

  @Test
  void aJobWithoutAGpuNeverIdlesAndOffIsOff() {
    DeciderHarness cpu = agent(Action.END);
    cpu.tell(1, cpu.place("a", 1));
    cpu.started("a", 1);
    assertThat(sent(idle(cpu, 20))).isEmpty();
    assertThat(sent(idle(running(Action.OFF), 20))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"-1, 1000, idle.below", "101, 1000, idle.below", "5, 999, idle.window"})
  void whatMakesNoSenseIsRefusedByItsKey(int below, long window, String key) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Idle(Action.WARN, below, window))
        .withMessageContaining("stoker.agent." + key);
  }

  private static DeciderHarness running(Action action) {
    DeciderHarness agent = agent(action);
    agent.free("0", "1");
    agent.tell(1, agent.gpuPlace("a", 2, null, false));
    agent.started("a", 1);
    return agent;
  }

  private static DeciderHarness agent(Action action) {
    AgentRules rules = AgentRules.standard().withIdle(new Idle(action, BELOW, WINDOW));
    return new DeciderHarness(gpus("0", "1"), rules).ready(1);
  }

  private static List<Effect> idle(DeciderHarness agent, int seconds) {
    List<Effect> effects = new ArrayList<>();
    for (int i = 0; i < seconds; i++) {
      effects.addAll(sample(agent, "0/0"));
    }
    return effects;
  }

  private static List<Effect> sample(DeciderHarness agent, String busy) {
    agent.now += 1_000;
    agent.to(new Input.HeartbeatAcked(1, agent.now));
    Map<String, DeviceSample> devices = new HashMap<>();
    String[] each = busy.split("/");
    for (int i = 0; i < each.length; i++) {
      OptionalInt percent =
          each[i].equals("-") ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(each[i]));
      devices.put(
          Integer.toString(i),
          new DeviceSample(percent, OptionalLong.empty(), OptionalLong.empty(), Map.of()));
    }
    return agent.to(new Input.Sampled(Map.of(), devices));
  }
}
