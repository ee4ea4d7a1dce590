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
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs that the journal does not know and that are not seen to have ended elsewhere yet. */
class LeftoversTest {
  private final DeciderHarness agent = new DeciderHarness(2);

  @BeforeEach
  void find() {
    agent.state.left(Set.of(key("job", 2)));
    agent.ready(1);
  }

  @Test
  void areHeldUntilTheyHaveEndedWhichIsSaidAtOnce() {
    assertThat(agent.state.held())
        .extracting(HeldAttempt::job, HeldAttempt::attempt, HeldAttempt::running)
        .containsExactly(tuple("job", 2, true));
    agent.now += 1;

    List<Effect> effects = agent.to(new Input.LeftoverEnded(key("job", 2)));

    assertThat(agent.state.held()).isEmpty();
    assertThat(only(effects, Effect.SayInventory.class)).hasSize(1);
    assertThat(only(effects, Effect.RemoveRun.class))
        .containsExactly(new Effect.RemoveRun(key("job", 2)));
    assertThat(agent.to(new Input.LeftoverEnded(key("job", 2)))).isEmpty();
  }

  @Test
  void ofAJobOfWhichOneIsLeftNoOtherAttemptStarts() {
    List<Effect> effects = agent.tell(1, agent.place("job", 3));
    assertThat(only(effects, Effect.Launch.class)).isEmpty();
    assertThat(sent(effects)).extracting(AttemptEvent::outcome).containsExactly(Outcome.RETURNED);

    agent.to(new Input.LeftoverEnded(key("job", 2)));
    assertThat(only(agent.tell(1, agent.place("job", 4)), Effect.Launch.class)).hasSize(1);
  }

  @Test
  void nothingIsSaidOfThemThatCouldCloseThem() {
    List<Effect> placed = agent.tell(1, agent.place("job", 2));
    List<Effect> cancelled = agent.tell(1, new Cancel("job", 2, "the attempt was closed"));
    assertThat(sent(placed)).isEmpty();
    assertThat(only(placed, Effect.Launch.class)).isEmpty();
    assertThat(sent(cancelled)).isEmpty();
    assertThat(agent.state.held()).hasSize(1);
  }
}
