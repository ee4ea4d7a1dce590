package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.LEASE;
import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A host whose jobs run on while the broker cannot be reached: {@code partition: keep-running}. */
class PartitionTest {
  private static final long OUTAGE = 20 * LEASE;

  private final DeciderHarness agent = new DeciderHarness(2).maxOutage(OUTAGE);

  PartitionTest() {
    agent.restart(2, 0);
  }

  @Test
  void whatRunsRunsOnPastTheLeaseAndReportsInTheSameEpoch() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);

    agent.now += OUTAGE - 1;
    List<Effect> effects = agent.to(new Input.Tick());

    assertThat(only(effects, Effect.Kill.class)).isEmpty();
    assertThat(only(effects, Effect.SayHello.class)).isEmpty();
    AttemptEvent end = sent(agent.exited("job", 1, 0)).getFirst();
    assertThat(end.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(agent.state.lease().isEpoch(1)).isTrue();
  }

  @Test
  void theLongestOutageEndsIt() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);

    agent.now += OUTAGE;
    List<Effect> effects = agent.to(new Input.Tick());

    assertThat(only(effects, Effect.Kill.class)).containsExactly(new Effect.Kill(key("job", 1), 0));
    assertThat(only(effects, Effect.SayHello.class)).hasSize(1);
  }

  @Test
  void theWatchdogIsToldTheLaterDeadlineAndTheDispatcherOfIt() {
    assertThat(outage()).isEqualTo(OUTAGE);
    agent.welcomed(1);

    List<Effect> effects = agent.to(new Input.HeartbeatAcked(1, agent.now));

    assertThat(only(effects, Effect.MoveDeadline.class))
        .containsExactly(new Effect.MoveDeadline(agent.now + OUTAGE));
    agent.now += OUTAGE / 2;
    assertThat(outage()).as("it is the same again with each heartbeat").isEqualTo(OUTAGE);
  }

  /** Else its jobs would be given to others while the watchdog of that time lets them run. */
  @Test
  void whatAnEarlierAgentWasAllowedIsToldEvenIfThisOneIsConfiguredToKill() {
    long deadline = agent.now + OUTAGE;
    agent.maxOutage(0).restart(2, deadline);

    assertThat(outage()).isEqualTo(OUTAGE);
    agent.ready(2);
    agent.now += OUTAGE / 2;
    assertThat(outage()).isEqualTo(OUTAGE / 2);
    agent.now = deadline - LEASE;
    assertThat(outage()).as("no longer than a lease").isNull();
  }

  private Long outage() {
    return ResourceOffer.of(
            agent.state, Map.of(), 0, OptionalLong.empty(), new Now(agent.now, agent.now))
        .maxOutageMs();
  }
}
