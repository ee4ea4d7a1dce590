package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.Input.DiskSample;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DiskQuotaTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // quotas of logs and work, what both are, what is told
        "-, -, 9999, 9999, -",
        "1000, -, 1000, 9999, -",
        "1000, -, 1001, 9999, 'its output is 1001 B, of 1000 B that a job may write here'",
        "-, 1000, 9999, 1000, -",
        "-, 1000, 9999, 2000, 'it has written 2 KiB, of 1000 B that a job may write here'",
        "1000, 1000, 1500, 2000, 'its output is 1.5 KiB, of 1000 B that a job may write here'",
      })
  void whatIsMoreThanMayBeIsSaidWithItsFigures(
      Long logQuota, Long workQuota, long logs, long work, String told) {
    DeciderHarness agent = running(new DiskQuota(optional(logQuota), optional(workQuota), false));

    List<Effect> effects = writes(agent, logs, work);

    assertThat(sent(effects).stream().map(AttemptEvent::message))
        .isEqualTo(told == null ? List.of() : List.of(told));
    assertThat(only(effects, Effect.Kill.class)).isEmpty();
  }

  @Test
  void itIsToldOnceAndThatItIsOver() {
    DeciderHarness agent =
        running(new DiskQuota(OptionalLong.empty(), OptionalLong.of(1000), false));

    assertThat(sent(writes(agent, 0, 2000)))
        .singleElement()
        .extracting(AttemptEvent::warning)
        .isEqualTo(Warning.DISK);
    assertThat(sent(writes(agent, 0, 3000))).isEmpty();
    assertThat(sent(writes(agent, 0, 10)))
        .singleElement()
        .extracting(AttemptEvent::warning)
        .isEqualTo(Warning.OVER);
    assertThat(sent(writes(agent, 0, 3000))).hasSize(1);
  }

  @Test
  void whereThatIsConfiguredItIsKilledAtOnceAndHasBrokenALimit() {
    DeciderHarness agent =
        running(new DiskQuota(OptionalLong.empty(), OptionalLong.of(1000), true));

    assertThat(only(writes(agent, 0, 2000), Effect.Kill.class))
        .singleElement()
        .extracting(Effect.Kill::graceMs)
        .isEqualTo(0L);
    AttemptEvent ended = sent(agent.exited("a", 1, 137)).getFirst();
    assertThat(ended.category()).isEqualTo(FailureCategory.LIMIT);
    assertThat(ended.warning()).isEqualTo(Warning.DISK);
    assertThat(ended.message()).endsWith("may write here: ended");
  }

  @Test
  void outputsAndWorkTogetherMayFillAShareOfTheDisk() {
    DeciderHarness agent = running(new DiskQuota(OptionalLong.empty(), OptionalLong.empty(), true));
    assertThat(writes(agent, 500, 500, OptionalLong.of(1000))).isEmpty();
    assertThat(writes(agent, 500, 501, OptionalLong.empty())).isEmpty();

    assertThat(only(writes(agent, 500, 501, OptionalLong.of(1000)), Effect.Kill.class)).hasSize(1);
    AttemptEvent ended = sent(agent.exited("a", 1, 137)).getFirst();
    assertThat(ended.category()).isEqualTo(FailureCategory.LIMIT);
    assertThat(ended.message())
        .isEqualTo("it has filled 1001 B, of 1000 B that a job may write here: ended");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWorkerThatWritesMoreIsReplacedAndItsJobTriedAgain(boolean end) {
    DiskQuota quota = new DiskQuota(OptionalLong.of(1000), OptionalLong.empty(), end);
    DeciderHarness agent =
        PoolScene.agent(
            new DeciderHarness(DeciderHarness.gpus("0"), AgentRules.standard().withDisk(quota)),
            PoolScene.pool(1, 1, 0));
    WorkerKey worker = PoolScene.worker(PoolScene.startOf(agent));
    PoolScene.up(agent, worker);
    agent.tell(1, PoolScene.place(agent, "a"));
    Input.DiskSampled much =
        new Input.DiskSampled(
            Map.of(worker.toString(), new DiskSample(1001, 0)), OptionalLong.empty());

    assertThat(only(agent.to(much), Effect.Kill.class)).hasSize(end ? 1 : 0);
    assertThat(only(agent.to(much), Effect.Kill.class)).isEmpty();

    if (end) {
      List<Effect> gone = agent.to(new Input.Exited(worker, RunEnd.exit(137)));
      assertThat(sent(gone))
          .singleElement()
          .satisfies(told -> assertThat(told.outcome()).isEqualTo(AttemptEvent.Outcome.LOST))
          .satisfies(
              told ->
                  assertThat(told.message())
                      .isEqualTo(
                          "its worker was ended: its output is 1001 B, of 1000 B that a job may"
                              + " write here"));
      assertThat(PoolScene.worker(gone)).isNotEqualTo(worker);
    }
  }

  private static OptionalLong optional(Long value) {
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }

  private static DeciderHarness running(DiskQuota quota) {
    DeciderHarness agent =
        new DeciderHarness(DeciderHarness.gpus("0"), AgentRules.standard().withDisk(quota))
            .ready(1);
    agent.tell(1, agent.place("a", 1));
    agent.started("a", 1);
    return agent;
  }

  private static List<Effect> writes(DeciderHarness agent, long logs, long work) {
    return writes(agent, logs, work, OptionalLong.empty());
  }

  private static List<Effect> writes(
      DeciderHarness agent, long logs, long work, OptionalLong share) {
    return agent.to(new Input.DiskSampled(Map.of("a-1", new DiskSample(logs, work)), share));
  }
}
