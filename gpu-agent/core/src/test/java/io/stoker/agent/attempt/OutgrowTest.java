package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.GIB;
import static io.stoker.agent.attempt.DeciderHarness.gpus;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.stoker.agent.attempt.Input.DeviceSample;
import io.stoker.agent.attempt.Input.RunSample;
import io.stoker.agent.attempt.Outgrow.Action;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that take more memory than they were promised, on GPU 0 of 16 GiB. */
class OutgrowTest {
  private static final double TOLERANCE = 0.25;

  @ParameterizedTest
  @CsvSource({
    // promised GiB, shared, taken GiB, told
    "4, true, 4, false",
    "4, true, 5, false",
    "4, true, 6, true",
    "4, false, 16, false",
    "16, true, 16, false",
  })
  void aSharerIsToldOfThatTakesMoreThanIsTolerated(
      long promised, boolean shared, long taken, boolean told) {
    DeciderHarness agent = running(Action.WARN, promised * GIB, shared);

    List<Effect> effects = uses(agent, taken * GIB, 0);

    assertThat(sent(effects)).hasSize(told ? 1 : 0);
    assertThat(only(effects, Effect.Kill.class)).isEmpty();
  }

  @Test
  void theWarningSaysWhatWasTakenAndPromisedAndComesOnce() {
    DeciderHarness agent = running(Action.WARN, 4 * GIB, true);

    AttemptEvent warning = sent(uses(agent, 6 * GIB, 0)).getFirst();

    assertThat(warning.type()).isEqualTo(AttemptEvent.Type.PROGRESS);
    assertThat(warning.message()).isEqualTo("takes 6 GiB of GPU 0, and was promised 4 GiB");
    assertThat(sent(uses(agent, 7 * GIB, 0))).isEmpty();
    assertThat(sent(agent.exited("a", 1, 0)).getFirst().outcome())
        .isEqualTo(AttemptEvent.Outcome.SUCCEEDED);
  }

  @Test
  void whereThatIsConfiguredItIsEndedAtOnceAsOutOfGpuMemory() {
    DeciderHarness agent = running(Action.END, 4 * GIB, true);

    List<Effect> effects = uses(agent, 6 * GIB, 0);

    assertThat(sent(effects)).singleElement().extracting(AttemptEvent::message).isNotNull();
    assertThat(only(effects, Effect.Kill.class))
        .singleElement()
        .extracting(Effect.Kill::graceMs)
        .isEqualTo(0L);
    AttemptEvent ended = sent(agent.exited("a", 1, 137)).getFirst();
    assertThat(ended.category()).isEqualTo(FailureCategory.GPU_OOM);
    assertThat(ended.message()).contains("takes 6 GiB of GPU 0, and was promised 4 GiB: ended");
    assertThat(ended.usage().peakGpuMemory()).as("its retry gets more").isEqualTo(6 * GIB);
  }

  @Test
  void aRestartedAgentEndsWhatItWasAboutToEndForTheSameReason() {
    DeciderHarness agent = running(Action.END, 4 * GIB, true);
    uses(agent, 6 * GIB, 0);

    agent.restart(gpus("0"), agent.now);

    assertThat(sent(agent.exited("a", 1, 137)).getFirst().category())
        .isEqualTo(FailureCategory.GPU_OOM);
  }

  @Test
  void hostMemoryIsEndedAsOutOfHostMemory() {
    DeciderHarness agent = host(Action.END, 2 * GIB);

    assertThat(uses(agent, 0, 2 * GIB)).isEmpty();
    List<Effect> effects = uses(agent, 0, 3 * GIB);

    assertThat(only(effects, Effect.Kill.class)).hasSize(1);
    AttemptEvent ended = sent(agent.exited("a", 1, 137)).getFirst();
    assertThat(ended.category()).isEqualTo(FailureCategory.HOST_OOM);
    assertThat(ended.message()).contains("3 GiB of host memory, and was promised 2 GiB");
  }

  @Test
  void whatWasPromisedNoHostMemoryMayTakeAny() {
    assertThat(uses(host(Action.END, null), 0, 100 * GIB)).isEmpty();
  }

  @Test
  void offIsOff() {
    assertThat(uses(running(Action.OFF, GIB, true), 16 * GIB, 0)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 10.1, Double.NaN})
  void aToleranceThatMakesNoSenseIsRefusedByItsKey(double tolerance) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Outgrow(Action.WARN, tolerance))
        .withMessageContaining("stoker.agent.memory.tolerance");
  }

  private static DeciderHarness running(Action action, long promised, boolean shared) {
    DeciderHarness agent = agent(action);
    agent.free("0");
    agent.tell(1, agent.gpuPlace("a", 1, promised, shared));
    agent.started("a", 1);
    return agent;
  }

  private static DeciderHarness host(Action action, Long promised) {
    DeciderHarness agent = agent(action);
    agent.tell(1, agent.soon("a").memory(promised).build());
    agent.started("a", 1);
    return agent;
  }

  private static DeciderHarness agent(Action action) {
    AgentRules rules = AgentRules.standard().withOutgrow(new Outgrow(action, TOLERANCE));
    return new DeciderHarness(gpus("0"), rules).ready(1);
  }

  private static List<Effect> uses(DeciderHarness agent, long gpuBytes, long hostBytes) {
    agent.now += 1_000;
    DeviceSample device =
        new DeviceSample(
            OptionalInt.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            Map.of("a-1", gpuBytes));
    return agent
        .to(new Input.Sampled(Map.of("a-1", new RunSample(hostBytes, 0)), Map.of("0", device)))
        .stream()
        .filter(effect -> !(effect instanceof Effect.SayHeartbeat))
        .toList();
  }
}
