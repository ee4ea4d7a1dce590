package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.GIB;
import static io.stoker.agent.attempt.DeciderHarness.gpus;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;

import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.staged.Said.What;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** A host with two GPUs and room, and a staged job on it. */
abstract class StagesScene {
  static final HostLoad ROOM = new HostLoad(5, 64 * GIB, 60 * GIB);
  final DeciderHarness agent = new DeciderHarness(gpus("4", "7")).ready(1);

  @BeforeEach
  void measure() {
    agent.free("4", "7");
    agent.to(new Input.HostSampled(ROOM));
  }

  static String told(List<Effect> effects) {
    return only(effects, Effect.Tell.class).stream()
        .map(tell -> tell.command().toString())
        .reduce("", String::concat);
  }

  static String stages(List<Effect> effects) {
    return sent(effects).stream()
        .filter(event -> event.type() == Type.PROGRESS)
        .map(event -> event.progress().path("stage").asText() + event.devices())
        .reduce("", (a, b) -> a + b);
  }

  /** Up to its training on device 4. */
  void training() {
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.started("a", 1);
    agent.said("a", 1, What.DONE);
  }
}
