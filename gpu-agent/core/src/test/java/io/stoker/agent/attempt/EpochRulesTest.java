package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.only;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.ToAgent.Challenge;
import io.stoker.common.message.ToAgent.Clock;
import io.stoker.common.message.ToAgent.Refused;
import io.stoker.common.message.ToAgent.Welcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EpochRulesTest {
  private final DeciderHarness agent = new DeciderHarness(2);

  @Test
  void aChallengeIsAnsweredAtOnceAndOnce() {
    String nonce = hello();

    assertThat(only(agent.tell(0, new Challenge(nonce, "c1")), Effect.SayHello.class))
        .containsExactly(new Effect.SayHello(nonce, Optional.of("c1")));
    assertThat(only(agent.tell(0, new Challenge(nonce, "c1")), Effect.SayHello.class)).isEmpty();
    assertThat(only(agent.tell(0, new Challenge(nonce, "c2")), Effect.SayHello.class))
        .as("another one was welcomed meanwhile")
        .containsExactly(new Effect.SayHello(nonce, Optional.of("c2")));
    agent.now += 2_000;
    assertThat(only(agent.to(new Input.Tick()), Effect.SayHello.class))
        .as("repeated until it is welcomed")
        .containsExactly(new Effect.SayHello(nonce, Optional.of("c2")));
  }

  @Test
  void whatAnotherAgentIsAskedIsNotAnswered() {
    hello();
    assertThat(only(agent.tell(0, new Challenge("other", "c1")), Effect.SayHello.class)).isEmpty();
    agent.ready(1);
    String mine = agent.state.lease().nonce();
    assertThat(only(agent.tell(0, new Challenge(mine, "c1")), Effect.SayHello.class)).isEmpty();
    assertThat(agent.state.lease().isEpoch(1)).isTrue();
  }

  @Test
  void whoIsRefusedWaitsAsToldAndBeginsAnew() {
    String nonce = hello();
    agent.tell(0, new Challenge(nonce, "c1"));
    List<Effect> refused = agent.tell(0, new Refused(nonce, "used by another agent", 5_000));
    assertThat(only(refused, Effect.SayHello.class)).isEmpty();
    assertThat(only(refused, Effect.Note.class))
        .singleElement()
        .satisfies(note -> assertThat(note.sentence()).contains("used by another agent"));

    agent.now += 4_999;
    assertThat(only(agent.to(new Input.Tick()), Effect.SayHello.class)).isEmpty();
    agent.now += 1;
    Effect.SayHello next = only(agent.to(new Input.Tick()), Effect.SayHello.class).getFirst();
    assertThat(next.nonce()).isNotEqualTo(nonce);
    assertThat(next.answer()).isEmpty();

    List<Effect> again = agent.tell(0, new Refused(next.nonce(), "used by another agent", 5_000));
    assertThat(only(again, Effect.Note.class)).as("said already").isEmpty();
  }

  @Test
  void whoIsNotAnsweredAtAllSaysWhatThatMayBe() {
    List<Effect> effects = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      agent.now += 2_000;
      effects.addAll(agent.to(new Input.Tick()));
    }
    assertThat(only(effects, Effect.Note.class).toString())
        .contains("no dispatcher has answered for 10 s")
        .contains("agent.key is missing");
    assertThat(only(effects, Effect.Note.class)).as("once a minute").hasSize(1);
    agent.ready(1);
    agent.now += 70_000;
    assertThat(only(agent.to(new Input.Tick()), Effect.Note.class).toString())
        .doesNotContain("has answered");
  }

  @Test
  void whatIsForTheAgentThatHasTheNameIsNoDeadLetter() {
    agent.tell(0, new Refused(hello(), "used by another agent", 5_000));

    assertThat(only(agent.tell(7, new Clock(1, 1)), Effect.DeadLetter.class)).isEmpty();
    agent.now += 5_000;
    agent.ready(8);
    assertThat(only(agent.tell(7, new Clock(1, 1)), Effect.DeadLetter.class)).hasSize(1);
  }

  @Test
  void whoHasTheNameNotesNowAndThenThatAnotherOneAsksForIt() {
    agent.ready(1);
    Refused other = new Refused("other", "used by another agent", 5_000);
    assertThat(only(agent.tell(0, other), Effect.Note.class)).hasSize(1);
    agent.now += 5_000;
    assertThat(only(agent.tell(0, other), Effect.Note.class)).isEmpty();
    assertThat(agent.state.lease().isEpoch(1)).isTrue();
  }

  @Test
  void whoseEpochWasSupersededRenewsNothing() {
    agent.ready(1);
    long deadline = agent.state.lease().deadline();
    long sent = agent.now;

    agent.tell(2, new Clock(0, 1));

    agent.now += 2_000;
    assertThat(only(agent.to(new Input.Tick()), Effect.SayHeartbeat.class)).isEmpty();
    assertThat(only(agent.to(new Input.HeartbeatAcked(1, sent + 1)), Effect.MoveDeadline.class))
        .as("an acknowledgement that was under way")
        .isEmpty();
    assertThat(agent.state.lease().deadline()).isEqualTo(deadline);
  }

  private String hello() {
    agent.now += 2_000;
    return only(agent.to(new Input.Tick()), Effect.SayHello.class).getFirst().nonce();
  }

  @Test
  void recordsAreSignedAsAWholeAsLongAsTheDispatcherOfNowSaysSo() {
    DeciderHarness agent = new DeciderHarness(1);
    agent.tell(0, new Welcome(agent.state.lease().nonce(), 1, 1, 30_000, 2_000, 60_000, true));
    assertThat(agent.state.lease().sealedEvents()).isTrue();
    agent.to(new Input.Tick()); // its first inventory

    agent.tell(1, new Clock(0, 1)); // an answer to none
    assertThat(agent.state.lease().sealedEvents()).isTrue();
    agent.tell(1, new Clock(1, 1));
    assertThat(agent.state.lease().sealedEvents()).as("of the build before").isFalse();
    agent.tell(1, new Clock(1, 1, true)); // that comes again tells nothing
    assertThat(agent.state.lease().sealedEvents()).isFalse();
    agent.state.lease().inventoryChanged(agent.now);
    agent.to(new Input.Tick());
    agent.tell(1, new Clock(2, 1, true));
    assertThat(agent.state.lease().sealedEvents()).isTrue();
  }
}
