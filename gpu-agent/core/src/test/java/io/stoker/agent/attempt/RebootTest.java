package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent.Gang;
import io.stoker.common.request.RunnerType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What the journal says after a loss of power: of what was not forced to the disk some, or nothing,
 * is there.
 */
class RebootTest {
  private final DeciderHarness agent = new DeciderHarness(2).ready(1);

  /** How much of the journal there is up to the acceptance of a job. */
  private int accepted() {
    for (int i = 0; i < agent.journal.size(); i++) {
      if (agent.journal.get(i) instanceof JournalEntry.Accepted) {
        return i + 1;
      }
    }
    throw new AssertionError("nothing was accepted: " + agent.journal);
  }

  private void assertLost(List<Effect> effects, int attempt) {
    assertThat(sent(effects)).hasSize(1);
    AttemptEvent end = sent(effects).getFirst();
    assertThat(end.outcome()).isEqualTo(Outcome.LOST);
    assertThat(end.attempt()).isEqualTo(attempt);
    assertThat(only(effects, Effect.Adopt.class)).isEmpty();
    agent.ready(2);
    assertThat(agent.state.liveKeys()).isEmpty();
  }

  @Test
  void anAttemptWhoseBeginningMayBeAmongWhatIsGoneDoesNotBeginAgain() {
    agent.tell(1, agent.place("job", 3));
    agent.started("job", 3);

    assertLost(agent.reboot(accepted()), 3);
  }

  @Test
  void neitherDoesAMemberOfAGangThatMayHaveJoined() {
    agent.tell(1, agent.place("job", 1).in(new Gang(1, 2, "here:4001")));

    assertLost(agent.reboot(accepted()), 1);
  }

  @Test
  void norAStagedOneThatMayHaveBeenLoaded() {
    DeciderHarness host = new DeciderHarness(DeciderHarness.gpus("0")).ready(1);
    host.tell(1, host.stagedPlace("job", null, false));

    List<Effect> effects = host.reboot(host.journal.size());

    assertThat(sent(effects)).extracting(AttemptEvent::outcome).containsExactly(Outcome.LOST);
    assertThat(only(effects, Effect.Launch.class)).isEmpty();
  }

  @Test
  void whatRunsOnAnotherMachineIsLookedForThere() {
    agent.state.serve(new Service(Set.of(RunnerType.CPU), Map.of("ssh", 2), List.of()));
    agent.tell(1, agent.soon("job").on("ssh").build());

    List<Effect> effects = agent.reboot(accepted());

    assertThat(only(effects, Effect.Adopt.class)).hasSize(1);
    assertThat(sent(effects)).isEmpty();
  }

  @Test
  void itsEndHasAHigherNumberThanAllThatItMayHaveTold() {
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    int kept = agent.journal.size();
    int last = 0;
    for (int i = 0; i < 1_000; i++) {
      List<Effect> effects = agent.to(new Input.Result(key("job", 1), IntNode.valueOf(i), i));
      last = Math.max(last, sent(effects).stream().mapToInt(AttemptEvent::seq).max().orElse(0));
    }
    assertThat(last).isGreaterThan(1_000);

    agent.reboot(kept);
    List<Effect> effects = agent.vanished("job", 1);

    assertThat(sent(effects).getFirst().seq()).isGreaterThan(last);
  }

  @Test
  void onTheSameBootOneThatNobodyHasBegunBegins() {
    agent.tell(1, agent.place("job", 1));
    agent.restart(2, agent.now + 20_000);
    agent.welcomed(2);

    List<Effect> effects =
        agent.to(new Input.NotStarted(key("job", 1), Input.Cause.UNCLAIMED, "its launch was lost"));

    assertThat(only(effects, Effect.Launch.class)).hasSize(1);
  }
}
