package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.GIB;
import static io.stoker.agent.attempt.DeciderHarness.gpus;
import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.staged.Said.What;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Jobs that pass the gates, and those that do not. */
class GatedRulesTest extends StagesScene {
  @Test
  void aGatedJobStartsWhenTheGatesAreOpen() {
    agent.to(new Input.HostSampled(new HostLoad(85, 64 * GIB, 60 * GIB)));
    List<Effect> placed = agent.tell(1, agent.gatedPlace("a", 2 * GIB));
    assertThat(sent(placed).get(0).devices()).as("it has its device").containsExactly("4");
    assertThat(only(placed, Effect.Launch.class)).isEmpty();
    assertThat(only(placed, Effect.Note.class).toString()).contains("85.0 % busy");
    assertThat(sent(placed)).extracting(AttemptEvent::type).containsOnly(Type.ACCEPTED);
    assertThat(sent(placed).getLast().progress().toString())
        .contains("\"stage\":\"WAITING\"", "85.0 % busy");

    assertThat(only(agent.to(new Input.HostSampled(ROOM)), Effect.Launch.class)).hasSize(1);
    agent.started("a", 1);
    assertThat(sent(agent.exited("a", 1, 0)).get(0).outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void aGatedJobWaitsForHostAndGpuMemory() {
    agent.to(new Input.HostSampled(new HostLoad(5, 64 * GIB, 14 * GIB)));
    List<Effect> placed = agent.tell(1, agent.gatedPlace("a", 2 * GIB));
    assertThat(only(placed, Effect.Note.class).toString()).contains("host memory: 15032385536");
    agent.to(
        new Input.Observed(
            Map.of(
                "4", new DeviceReading(4 * GIB, Map.of()),
                "7", new DeviceReading(4 * GIB, Map.of()))));
    agent.now += 10_000;
    List<Effect> room = agent.to(new Input.HostSampled(ROOM));

    assertThat(only(room, Effect.Launch.class)).isEmpty();
    assertThat(only(room, Effect.Note.class).toString())
        .contains("memory of device 4: 4294967296 bytes free less 2000000000 required");
    assertThat(only(agent.free("4", "7"), Effect.Launch.class)).hasSize(1);
  }

  @Test
  void whyItWaitsIsNotSaidWithEachChange() {
    HostLoad busy = new HostLoad(85, 64 * GIB, 60 * GIB);
    HostLoad full = new HostLoad(5, 64 * GIB, 14 * GIB);
    agent.to(new Input.HostSampled(busy));
    agent.tell(1, agent.gatedPlace("a", 2 * GIB));

    for (HostLoad load : List.of(full, busy, full, busy)) {
      agent.now += 1_000;
      assertThat(sent(agent.to(new Input.HostSampled(load)))).isEmpty();
    }
    agent.now += 6_000;
    assertThat(sent(agent.to(new Input.HostSampled(full))).getFirst().progress().toString())
        .contains("host memory");
    agent.now += 1_000;
    assertThat(sent(agent.to(new Input.HostSampled(full)))).isEmpty();
  }

  @Test
  void aGatedJobThatWaitedIsHeldAgainAfterARestartAndMayBeCancelled() {
    agent.to(new Input.HostSampled(new HostLoad(85, 64 * GIB, 60 * GIB)));
    agent.tell(1, agent.gatedPlace("a", 2 * GIB));
    agent.restart(gpus("4", "7"), agent.now + 60_000);
    agent.ready(2);
    List<Effect> lost =
        agent.to(new Input.NotStarted(key("a", 1), Input.Cause.UNCLAIMED, "never began"));
    assertThat(only(lost, Effect.Launch.class)).isEmpty();

    List<Effect> cancelled =
        agent.tell(2, new io.stoker.common.message.ToAgent.Cancel("a", 1, "enough"));
    assertThat(sent(cancelled).get(0).outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(agent.state.ledger().allocations()).isEmpty();
  }

  @Test
  void oneThatWaitsGivesItsDeviceToAStagedJobThatHasLoaded_sinceBothWouldWaitForEver() {
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.started("a", 1);
    agent.to(new Input.HostSampled(new HostLoad(5, 64 * GIB, 14 * GIB)));
    agent.tell(1, agent.gatedPlace("b", 2 * GIB));
    agent.tell(1, agent.gatedPlace("c", 2 * GIB));
    List<Effect> loaded = agent.said("a", 1, What.DONE);

    AttemptEvent made = sent(loaded).stream().filter(it -> it.type() == Type.ENDED).toList().get(0);
    assertThat(made.job()).isEqualTo("b");
    assertThat(made.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(made.message()).contains("for which one waits that has loaded");
    assertThat(told(loaded)).contains("\"do\":\"train\"", "\"device\":\"cuda:0\"");
    assertThat(agent.state.ledger().holdersOf("7")).as("there is one").isNotEmpty();
  }

  @Test
  void oneThatWaitsKeepsItsDeviceWhileAnotherTrains() {
    training();
    agent.tell(1, agent.stagedPlace("b", null, false));
    agent.started("b", 1);
    agent.to(new Input.HostSampled(new HostLoad(5, 64 * GIB, 14 * GIB)));
    agent.tell(1, agent.gatedPlace("c", 2 * GIB));
    List<Effect> loaded = agent.said("b", 1, What.DONE);

    assertThat(sent(loaded)).extracting(AttemptEvent::type).doesNotContain(Type.ENDED);
    assertThat(agent.state.ledger().holdersOf("7")).hasSize(1);
  }

  @Test
  void otherJobsPassNoGates() {
    agent.to(new Input.HostSampled(new HostLoad(100, 64 * GIB, GIB)));
    assertThat(only(agent.tell(1, agent.gpuPlace("a", 1, null, false)), Effect.Launch.class))
        .hasSize(1);
  }
}
