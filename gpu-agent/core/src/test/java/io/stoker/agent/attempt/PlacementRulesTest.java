package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.indexOf;
import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent.Cancel;
import io.stoker.common.message.ToAgent.Clock;
import io.stoker.common.message.ToAgent.Forget;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.ToAgent.Report;
import io.stoker.common.message.ToAgent.Welcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class PlacementRulesTest {
  private final DeciderHarness agent = new DeciderHarness(2);

  @Test
  void nothingIsActedOnBeforeTheWelcome() {
    List<Effect> effects = agent.tell(1, agent.place("job", 1));
    assertThat(only(effects, Effect.Launch.class)).isEmpty();
    assertThat(sent(effects)).isEmpty();
    assertThat(only(effects, Effect.DeadLetter.class))
        .singleElement()
        .satisfies(letter -> assertThat(letter.reason()).contains("epoch 1").contains("none"));
  }

  @Test
  void aPlacementIsJournaledBeforeItIsLaunchedAndTold() {
    agent.ready(1);
    List<Effect> effects = agent.tell(1, agent.place("job", 1));
    assertThat(((Effect.Journal) effects.getFirst()).entry())
        .isInstanceOf(JournalEntry.Accepted.class);
    assertThat(indexOf(effects, Effect.Launch.class)).isPositive();
    assertThat(sent(effects)).extracting(AttemptEvent::type).containsExactly(Type.ACCEPTED);
  }

  @Test
  void nothingStartsBeforeTheFirstHeartbeatIsAcknowledged() {
    agent.welcomed(1);
    List<Effect> accepted = agent.tell(1, agent.place("job", 1));
    assertThat(only(accepted, Effect.Launch.class)).isEmpty();
    List<Effect> acked = agent.to(new Input.HeartbeatAcked(1, agent.now));
    assertThat(indexOf(acked, Effect.MoveDeadline.class))
        .isLessThan(indexOf(acked, Effect.Launch.class));
  }

  @Test
  void aPlacementOfAnotherEpochIsRefusedToTheDeadLetters() {
    agent.ready(4);
    List<Effect> effects = agent.tell(3, agent.place("job", 1));
    assertThat(only(effects, Effect.DeadLetter.class))
        .singleElement()
        .satisfies(letter -> assertThat(letter.reason()).contains("epoch 3").contains("epoch 4"));
    assertThat(agent.state.liveKeys()).isEmpty();
  }

  @Test
  void anUnreadableRecordIsADeadLetterAndReadingGoesOn() {
    agent.ready(1);
    ReceivedRecord raw = new ReceivedRecord("placements", 0, 40, null, new byte[] {'x'});
    List<Effect> effects = agent.to(new Input.Unreadable(raw, "not JSON"));
    assertThat(effects).contains(new Effect.DeadLetter(raw, "not JSON"));
    assertThat(agent.state.nextOffset()).hasValue(41);
  }

  @Test
  void received_theFirstSignedRecord_isJournaledBeforeItIsActedOn() {
    agent.ready(1);
    ReceivedRecord raw = new ReceivedRecord("placements", 0, 40, null, new byte[] {1});
    PlacementsRecord record = new PlacementsRecord("host", 1, List.of(agent.place("job", 1)));

    List<Effect> effects = agent.to(new Input.Received(record, raw, true));

    assertThat(effects.getFirst()).isEqualTo(new Effect.Journal(new JournalEntry.Offset(40, true)));
    assertThat(agent.state.nextOffset()).hasValue(41);
    agent.restart(4, 0);
    assertThat(agent.state.signed()).isTrue();
    assertThat(agent.state.snapshot()).contains(new JournalEntry.Offset(41, true));
  }

  @Test
  void aDuplicateOfWhatIsHeldIsAnsweredWithItsStateUnderTheSameSeq() {
    agent.ready(1);
    Place place = agent.place("job", 1);
    AttemptEvent accepted = sent(agent.tell(1, place)).getFirst();
    assertThat(sent(agent.tell(1, place))).containsExactly(accepted);
    AttemptEvent running = sent(agent.started("job", 1)).getFirst();
    assertThat(sent(agent.tell(1, place))).containsExactly(running);
    AttemptEvent ended = sent(agent.exited("job", 1, 0)).getFirst();
    List<Effect> again = agent.tell(1, place);
    assertThat(sent(again)).containsExactly(ended);
    assertThat(only(again, Effect.Launch.class)).isEmpty();
    assertThat(running.seq()).isGreaterThan(accepted.seq());
    assertThat(ended.seq()).isGreaterThan(running.seq());
  }

  @Test
  void numbersAtOrBelowTheFloorAreRefusedEvenWhenForgotten() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 3));
    agent.started("job", 3);
    agent.exited("job", 3, 0);
    assertThat(only(agent.tell(1, new Forget("job", 3)), Effect.RemoveRun.class)).hasSize(1);
    for (int number = 1; number <= 3; number++) {
      List<Effect> effects = agent.tell(1, agent.place("job", number));
      assertThat(only(effects, Effect.Launch.class)).as("attempt %d", number).isEmpty();
      assertThat(sent(effects)).isEmpty();
    }
    assertThat(only(agent.tell(1, agent.place("job", 4)), Effect.Launch.class)).hasSize(1);
  }

  @Test
  void givenTheNextAttemptWhileHoldingOneItFirstKillsThatOne() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    List<Effect> effects = agent.tell(1, agent.place("job", 2));
    assertThat(only(effects, Effect.Kill.class)).containsExactly(new Effect.Kill(key("job", 1), 0));
    assertThat(only(effects, Effect.Launch.class)).isEmpty();
    List<Effect> gone = agent.exited("job", 1, 137);
    assertThat(sent(gone))
        .extracting(AttemptEvent::attempt, AttemptEvent::type)
        .containsExactly(tuple(1, Type.ENDED), tuple(2, Type.ACCEPTED));
    assertThat(only(gone, Effect.Launch.class)).hasSize(1);
  }

  @Test
  void withoutRoomItIsReturnedAndThatIsAFloor() {
    agent.ready(1);
    agent.tell(1, agent.place("a", 1), agent.place("b", 1));
    List<Effect> full = agent.tell(1, agent.place("c", 1));
    AttemptEvent returned = sent(full).getFirst();
    assertThat(returned.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(returned.message()).contains("2");
    agent.started("a", 1);
    agent.exited("a", 1, 0);
    List<Effect> again = agent.tell(1, agent.place("c", 1));
    assertThat(sent(again)).containsExactly(returned);
    assertThat(only(again, Effect.Launch.class)).isEmpty();
  }

  @Test
  void aLatePlacementIsRefusedByTheUpperBoundOfTheDispatchersClock() {
    agent.to(new Input.Tick());
    long at = agent.now;
    agent.now += 4_000;
    agent.tell(0, new Welcome(agent.state.lease().nonce(), 1, at, 30_000, 2_000, 60_000));
    agent.to(new Input.HeartbeatAcked(1, agent.now));
    // The dispatcher's clock may show anything up to at + 4,000.
    List<Effect> late = agent.tell(1, agent.place("job", 1, at + 3_999, null));
    assertThat(only(late, Effect.Launch.class)).isEmpty();
    assertThat(agent.state.liveKeys()).isEmpty();
    List<Effect> inTime = agent.tell(1, agent.place("job", 1, at + 4_000, null));
    assertThat(only(inTime, Effect.Launch.class)).hasSize(1);
  }

  @Test
  void theUpperBoundOfTheClock_isCorrected() {
    agent.ready(1);
    long promised = agent.state.lease().promised().orElseThrow();
    agent.now += 1_000;
    agent.tell(1, new Clock(1, promised + 300));
    assertThat(agent.state.lease().dispatcherNow(agent.now)).hasValue(promised + 1_300);
  }

  @Test
  void anInventoryIsAnsweredByWhenItWasSent_thoughAnotherHasBeenSentSince() {
    agent.ready(1);
    long sent = agent.now;
    agent.now += 3_000;
    agent.state.lease().inventoryChanged(agent.now);
    assertThat(inventories()).hasSize(1);
    agent.now += 1_000;
    long at = agent.state.lease().promised().orElseThrow() + 100_000;

    agent.tell(1, new Clock(1, at));

    assertThat(agent.state.lease().dispatcherNow(agent.now)).hasValue(at + agent.now - sent);
    agent.tell(1, new Clock(2, at));
    assertThat(agent.state.lease().dispatcherNow(agent.now)).hasValue(at + 1_000);
    agent.tell(1, new Clock(1, at + 500));
    assertThat(agent.state.lease().dispatcherNow(agent.now))
        .as("an answer that comes again is older than it seems")
        .hasValue(at + 1_000);
  }

  @Test
  void anAnswerThatTookLong_isFollowedByAnotherInventoryAfterAsLongAgain() {
    agent.ready(1);
    agent.now += 3_000;
    agent.tell(1, new Clock(1, agent.now));
    agent.now += 2_999;
    assertThat(inventories()).isEmpty();
    agent.now += 1;
    assertThat(inventories()).hasSize(1);
    agent.now += 1_000;
    agent.tell(1, new Clock(2, agent.now));
    agent.now += 10_000;
    assertThat(inventories()).as("until one is answered soon").isEmpty();
  }

  @Test
  void whoeverRefusesAPlacementAsLateAsksForTheClock_andIsRightBeforeItComesAgain() {
    agent.to(new Input.Tick());
    long at = agent.now;
    agent.now += 9_000;
    Welcome welcome = new Welcome(agent.state.lease().nonce(), 1, at, 30_000, 2_000, 60_000);
    assertThat(only(agent.tell(0, welcome), Effect.SayInventory.class)).hasSize(1);
    agent.to(new Input.HeartbeatAcked(1, agent.now));
    agent.now += 500;
    List<Effect> late = agent.tell(1, agent.place("job", 1, at + 9_499, null));
    assertThat(only(late, Effect.Launch.class)).isEmpty();
    assertThat(inventories()).as("not more often than each second").isEmpty();
    agent.now += 500;
    assertThat(inventories()).hasSize(1);

    agent.tell(1, new Clock(2, at + 9_000));

    agent.now += 490;
    List<Effect> inTime = agent.tell(1, agent.place("job", 1, at + 9_499, null));
    assertThat(only(inTime, Effect.Launch.class)).hasSize(1);
  }

  private List<Effect.SayInventory> inventories() {
    return only(agent.to(new Input.Tick()), Effect.SayInventory.class);
  }

  @Test
  void whatHasExpiredByAHeartbeat_isRefused_thoughTheClockIsSetBack() {
    agent.ready(1);
    long promised = agent.state.lease().promised().orElseThrow();
    agent.tell(1, new Clock(1, promised - 4_000));
    List<Effect> expired = agent.tell(1, agent.place("job", 1, promised - 1, null));
    assertThat(only(expired, Effect.Launch.class)).isEmpty();
    List<Effect> inTime = agent.tell(1, agent.place("job", 1, promised, null));
    assertThat(only(inTime, Effect.Launch.class)).hasSize(1);
  }

  @Test
  void aClockThatIsFarBehindWhatWasPromised_endsTheEpochOfTheTime() {
    agent.ready(1);
    long promised = agent.state.lease().promised().orElseThrow();
    agent.tell(1, new Clock(1, promised - 5_001));
    agent.to(new Input.Tick());
    assertThat(agent.state.lease().epoch()).isEmpty();
    long at = agent.now - 3_600_000;
    agent.tell(0, new Welcome(agent.state.lease().nonce(), 2, at, 30_000, 2_000, 60_000));
    agent.to(new Input.HeartbeatAcked(2, agent.now));
    List<Effect> inTime = agent.tell(2, agent.place("job", 1, at + 1_000, null));
    assertThat(only(inTime, Effect.Launch.class)).hasSize(1);
  }

  @Test
  void aHeartbeatPromises_noMoreThanASlowedClockShows() {
    agent.ready(1);
    long promised = agent.state.lease().promised().orElseThrow();
    agent.now += 20_000;
    agent.to(new Input.Tick());
    assertThat(agent.state.lease().promised()).hasValue(promised + 19_000);
  }

  @Test
  void aLateWelcomeMakesNothingExpireThatHasNot() {
    agent.to(new Input.Tick());
    long at = agent.now;
    agent.now += 4_000;
    agent.tell(0, new Welcome(agent.state.lease().nonce(), 1, at, 30_000, 2_000, 60_000));
    assertThat(agent.state.lease().promised()).hasValue(at);
    assertThat(agent.state.lease().dispatcherNow(agent.now)).hasValue(at + 4_000);
  }

  @Test
  void aRecordOfANewerEpochMakesTheAgentAskAgain() {
    agent.ready(1);
    String asked = agent.state.lease().nonce();
    List<Effect> effects = agent.tell(2, agent.place("job", 1));
    assertThat(agent.state.lease().epoch()).isEmpty();
    assertThat(only(effects, Effect.Launch.class)).isEmpty();
    assertThat(only(effects, Effect.SayHello.class)).hasSize(1);
    assertThat(agent.state.lease().nonce()).isNotEqualTo(asked);
  }

  @Test
  void aCancelKillsWithGraceAndIsAnsweredWhenTheTreeIsGone() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    List<Effect> effects = agent.tell(1, new Cancel("job", 1, "by hand"));
    assertThat(indexOf(effects, Effect.Journal.class)).isZero();
    assertThat(only(effects, Effect.Kill.class))
        .containsExactly(new Effect.Kill(key("job", 1), 10_000));
    assertThat(sent(effects)).isEmpty();
    AttemptEvent ended = sent(agent.exited("job", 1, 143)).getFirst();
    assertThat(ended.outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(ended.message()).isEqualTo("by hand");
    assertThat(ended.exitCode()).isEqualTo(143);
  }

  @Test
  void aCancelThatOvertakesItsPlacementIsAFloorAndAnswersIt() {
    agent.ready(1);
    agent.tell(1, new Cancel("job", 1, "too late"));
    List<Effect> effects = agent.tell(1, agent.place("job", 1));
    assertThat(only(effects, Effect.Launch.class)).isEmpty();
    assertThat(sent(effects))
        .singleElement()
        .extracting(AttemptEvent::outcome)
        .isEqualTo(Outcome.CANCELLED);
  }

  @Test
  void aReportIsAskedForAndGiven() {
    agent.ready(1);
    agent.tell(1, agent.place("job", 1));
    agent.started("job", 1);
    AttemptEvent ended = sent(agent.exited("job", 1, 0)).getFirst();
    assertThat(sent(agent.tell(1, new Report("job", 1)))).containsExactly(ended);
    agent.tell(1, new Forget("job", 1));
    assertThat(sent(agent.tell(1, new Report("job", 1)))).isEmpty();
  }

  @Test
  void aJobsNameNeverLeavesTheRunsFolder() {
    agent.ready(1);
    List<Effect> effects = agent.tell(1, agent.place("../../etc", 1));
    assertThat(only(effects, Effect.Launch.class)).isEmpty();
    assertThat(agent.state.liveKeys()).isEmpty();
  }

  @Test
  void aWelcomeWithAnotherNonceSaysNothing() {
    agent.to(new Input.Tick());
    agent.tell(0, new Welcome("other", 9, agent.now, 30_000, 2_000, 60_000));
    assertThat(agent.state.lease().epoch()).isEmpty();
  }

  @Test
  void withTooLittleRoomOnTheDiskNothingNewIsTakenAndWhatRunsEndsAsItDoes() {
    DeciderHarness agent = new DeciderHarness(2).ready(1);
    agent.tell(1, agent.place("runs", 1));
    agent.started("runs", 1);
    String why = "100 MiB are free where its data is, and it takes jobs from 512 MiB on";

    List<Effect> closed = agent.to(new Input.PartJudged(Part.DISK, Optional.of(why)));
    assertThat(only(closed, Effect.SayInventory.class)).as("others are told at once").hasSize(1);
    assertThat(refuses(agent)).isEqualTo(why);

    AttemptEvent returned = sent(agent.tell(1, agent.place("more", 1))).getFirst();
    assertThat(returned.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(returned.message()).isEqualTo(why);
    assertThat(returned.warning()).isEqualTo(AttemptEvent.Warning.DISK);
    assertThat(sent(agent.exited("runs", 1, 0)).getFirst().outcome()).isEqualTo(Outcome.SUCCEEDED);

    List<Effect> open = agent.to(new Input.PartJudged(Part.DISK, Optional.empty()));
    assertThat(only(open, Effect.SayInventory.class)).hasSize(1);
    assertThat(refuses(agent)).isNull();
    assertThat(only(agent.tell(1, agent.place("later", 1)), Effect.Launch.class)).hasSize(1);
  }

  @Test
  void nothingNewIsTakenUntilAllPartsWorkAgain() {
    DeciderHarness agent = new DeciderHarness(2).ready(1);
    agent.to(new Input.PartJudged(Part.SPAWNER, Optional.of("no spawner")));
    agent.to(new Input.PartJudged(Part.WATCHDOG, Optional.of("no watchdog")));
    assertThat(refuses(agent)).isEqualTo("no watchdog; no spawner");

    List<Effect> again = agent.to(new Input.PartJudged(Part.WATCHDOG, Optional.of("no watchdog")));
    assertThat(only(again, Effect.SayInventory.class)).as("nothing new is said").isEmpty();

    agent.to(new Input.PartJudged(Part.WATCHDOG, Optional.empty()));
    AttemptEvent returned = sent(agent.tell(1, agent.place("early", 1))).getFirst();
    assertThat(returned.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(returned.message()).isEqualTo("no spawner");
    assertThat(returned.warning()).as("it is not the disk").isNull();

    agent.to(new Input.PartJudged(Part.SPAWNER, Optional.empty()));
    assertThat(refuses(agent)).isNull();
    assertThat(only(agent.tell(1, agent.place("later", 1)), Effect.Launch.class)).hasSize(1);
  }

  @Test
  void withoutAJournalAPlacementIsNeitherTakenNorTurnedDown() {
    DeciderHarness agent = new DeciderHarness(2).ready(1);
    agent.to(new Input.PartJudged(Part.JOURNAL, Optional.of("it cannot be written")));
    Place placed = agent.place("later", 1);
    assertThat(sent(agent.tell(1, placed))).isEmpty();
    assertThat(agent.state.held()).isEmpty();

    agent.to(new Input.PartJudged(Part.JOURNAL, Optional.empty()));
    List<Effect> again = agent.tell(1, placed);
    assertThat(only(again, Effect.Launch.class)).as("it is published again").hasSize(1);
  }

  private static String refuses(DeciderHarness agent) {
    Now now = new Now(agent.now, agent.now);
    return ResourceOffer.of(agent.state, Map.of(), 0, OptionalLong.empty(), now).refuses();
  }
}
