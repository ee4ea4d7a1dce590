package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.ToAgent.Cancel;
import io.stoker.common.message.ToAgent.Gang;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.ToAgent.Start;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A member of a gang holds its devices, and starts when all others hold theirs. */
class GangRulesTest {
  private static final String HERE = "here:4001";
  private static final String RANK_0 = "there:4000";

  private final DeciderHarness agent = new DeciderHarness(2).ready(1);

  private Place member(String job) {
    return agent.place(job, 1).in(new Gang(1, 2, HERE));
  }

  private List<Effect> start(String job) {
    return agent.tell(1, new Start(job, 1, RANK_0));
  }

  @Test
  void itIsAcceptedAndNotStarted() {
    List<Effect> effects = agent.tell(1, member("job"));
    assertThat(sent(effects))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.type()).isEqualTo(Type.ACCEPTED);
              assertThat(event.address()).isEqualTo(HERE);
            });
    assertThat(only(effects, Effect.Launch.class)).isEmpty();
    assertThat(only(agent.to(new Input.HeartbeatAcked(1, agent.now)), Effect.Launch.class))
        .isEmpty();
    assertThat(agent.state.ledger().freeCpuSlots()).isEqualTo(1);
  }

  @Test
  void itStartsWhenItIsTold() {
    agent.tell(1, member("job"));
    assertThat(only(start("job"), Effect.Launch.class))
        .singleElement()
        .satisfies(launch -> assertThat(launch.place().gang()).isEqualTo(new Gang(1, 2, RANK_0)));
    assertThat(only(start("job"), Effect.Launch.class)).as("told again").isEmpty();
    agent.started("job", 1);
    assertThat(start("job")).filteredOn(effect -> !(effect instanceof Effect.Journal)).isEmpty();
  }

  @Test
  void aDuplicateOfItsPlacementIsAnsweredAndStartsNothing() {
    agent.tell(1, member("job"));
    List<Effect> again = agent.tell(1, agent.place("job", 1).in(new Gang(1, 2, "here:4999")));
    assertThat(sent(again)).extracting(AttemptEvent::address).containsExactly(HERE);
    assertThat(only(again, Effect.Launch.class)).isEmpty();
  }

  @Test
  void aStartBeforeThePlacementOrAfterTheEndIsNothing() {
    assertThat(only(start("job"), Effect.Launch.class)).isEmpty();
    agent.tell(1, member("job"));
    agent.tell(1, new Cancel("job", 1, "no"));
    assertThat(only(start("job"), Effect.Launch.class)).isEmpty();
  }

  @Test
  void cancelledBeforeItsStartItHasNeverBegun() {
    agent.tell(1, member("job"));
    List<Effect> effects = agent.tell(1, new Cancel("job", 1, "another member went back"));
    assertThat(sent(effects)).extracting(AttemptEvent::outcome).containsExactly(Outcome.CANCELLED);
    assertThat(only(effects, Effect.Kill.class)).isEmpty();
    assertThat(agent.state.ledger().freeCpuSlots()).isEqualTo(2);
  }

  @Test
  void anAgentThatStartsAgainHoldsItOn() {
    agent.tell(1, member("job"));
    List<Effect> restarted = agent.restart(2, agent.now + DeciderHarness.LEASE);
    assertThat(only(restarted, Effect.Adopt.class)).isEmpty();
    assertThat(agent.state.held()).extracting(HeldAttempt::job).containsExactly("job");
    agent.ready(2);
    assertThat(only(agent.tell(2, new Start("job", 1, RANK_0)), Effect.Launch.class)).hasSize(1);
  }

  @Test
  void anAgentThatStartsAgainLooksForWhatItWasToldToStart() {
    agent.tell(1, member("job"));
    start("job");
    List<Effect> restarted = agent.restart(2, agent.now + DeciderHarness.LEASE);
    assertThat(only(restarted, Effect.Adopt.class))
        .extracting(adopt -> adopt.place().gang().address())
        .containsExactly(RANK_0);
    agent.ready(2);
    List<Effect> unclaimed =
        agent.to(new Input.NotStarted(key("job", 1), Input.Cause.UNCLAIMED, "lost"));
    assertThat(only(unclaimed, Effect.Launch.class)).hasSize(1);
  }

  @Test
  void aCompactedJournalKeepsThatItsGangIsComplete() {
    agent.tell(1, member("job"));
    start("job");
    List<JournalEntry> compact = agent.state.snapshot();
    agent.journal.clear();
    agent.journal.addAll(compact);
    List<Effect> restarted = agent.restart(2, agent.now + DeciderHarness.LEASE);
    assertThat(only(restarted, Effect.Adopt.class)).hasSize(1);
  }

  @Test
  void withoutAPortToMeetAtItGoesBack() {
    List<Effect> effects = agent.tell(1, agent.place("job", 1).in(new Gang(0, 2, null)));
    assertThat(sent(effects)).extracting(AttemptEvent::outcome).containsExactly(Outcome.RETURNED);
  }

  @Test
  void theOthersNeedNoPort() {
    List<Effect> effects = agent.tell(1, agent.place("job", 1).in(new Gang(1, 2, null)));
    assertThat(sent(effects)).extracting(AttemptEvent::type).containsExactly(Type.ACCEPTED);
    assertThat(only(start("job"), Effect.Launch.class))
        .extracting(launch -> launch.place().gang().address())
        .containsExactly(RANK_0);
  }

  @Test
  void itsMeetingIsKnownFromItsPlacementToItsEnd() {
    Gang rank0 = new Gang(0, 2, HERE);
    agent.tell(1, agent.place("job", 1).in(rank0));
    agent.tell(1, member("elsewhere"));
    assertThat(Meeting.all(agent.state)).isEqualTo(Map.of(key("job", 1), new Meeting(4001, false)));

    agent.tell(1, new Start("job", 1, HERE));
    assertThat(Meeting.all(agent.state)).isEqualTo(Map.of(key("job", 1), new Meeting(4001, true)));
    agent.restart(2, agent.now + DeciderHarness.LEASE);
    assertThat(Meeting.all(agent.state)).isEqualTo(Map.of(key("job", 1), new Meeting(4001, true)));

    agent.ready(2);
    agent.tell(2, new Cancel("elsewhere", 1, "no"));
    agent.to(new Input.NotStarted(key("job", 1), Input.Cause.LAUNCH, "no such program"));
    assertThat(Meeting.all(agent.state)).isEmpty();
  }

  @Test
  void soIsThatOfOneThatWaitsForAnEarlierOnesEnd() {
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    agent.tell(1, agent.place("job", 2).in(new Gang(0, 2, HERE)));
    assertThat(Meeting.all(agent.state)).isEqualTo(Map.of(key("job", 2), new Meeting(4001, false)));
  }
}
