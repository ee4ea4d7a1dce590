package io.stoker.dispatcher.host;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Holder;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Restored;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.Scene;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegistrationTest {
  private static final long LEASE = 30_000;
  private static final long MARGIN = 5_000;

  private final Scene scene = new Scene();
  private final HostDirectory directory =
      new HostDirectory(new LeaseBook(LEASE, MARGIN), () -> scene.store().now());
  private HostRow row;
  private Registration.Answer answer;
  private boolean signed;
  private boolean challengeAll;
  private long beats;

  @Test
  void theFirstStartIsGrantedTheFirstEpoch() {
    register(aHost("h1").nonce("n1"));

    assertThat(row.epoch()).isEqualTo(1);
    assertThat(row.state()).isEqualTo(HostRow.State.UP);
    assertThat(row.grant().seenAt()).isEqualTo(scene.store().now());
  }

  @Test
  void aHostThatWasTakenForDeadIsAliveAgainAndStaysDrained() {
    register(aHost("h1").nonce("n1"));
    row = row.drained("off", new HostRow.Drain(null, true)).dead("declared dead");

    register(aHost("h1").nonce("n2"));

    assertThat(row.epoch()).isEqualTo(3);
    assertThat(row.state()).isEqualTo(HostRow.State.UP);
    assertThat(row.cordoned()).isTrue();
    assertThat(row.drain()).isEqualTo(new HostRow.Drain(null, null));
    assertThat(row.declaredDead()).isFalse();
  }

  @Test
  void theSameStartKeepsItsEpochHoweverOftenItAsks() {
    register(aHost("h1").nonce("n1"));
    HostRow first = row;
    scene.store().pass(1000);

    register(aHost("h1").nonce("n1").cpuSlots(9));

    assertThat(row).isEqualTo(first);
  }

  @Test
  void answer_unsignedAfterTheHostHasUsedItsKey_isRefusedWithTheReason() {
    signed = true;
    register(aHost("h1").nonce("n1"));
    signed = false;

    register(aHost("h1").nonce("n2"));

    assertThat(answer)
        .isInstanceOfSatisfying(
            Registration.Refusal.class,
            refusal -> assertThat(refusal.reason()).contains("h1", "stoker.agent.key"));
    assertThat(row.epoch()).isEqualTo(1);
    assertThat(row.key().used()).isTrue();
  }

  @Test
  void answer_unsignedBeforeTheHostHasUsedAKey_isWelcome() {
    register(aHost("h1").nonce("n1"));

    register(aHost("h1").nonce("n2"));

    assertThat(row.epoch()).isEqualTo(2);
    assertThat(row.key().used()).isFalse();
  }

  @Test
  void answer_signedByAHostThatIsHeld_releasesIt() {
    row = aHost("h1").nonce("n1").key(HostKey.NONE.heldFor("its key")).row();
    signed = true;

    register(aHost("h1").nonce("n2"));

    assertThat(row.key()).isEqualTo(HostKey.NONE.welcomed(true));
  }

  @Test
  void answer_signedByAnAgentThatSignsOutput_tellsSinceWhen_untilOneSaysOtherwise() {
    HostKey key = HostKey.NONE.welcomed(true);

    assertThat(key.signingOutput(true, 5).signingOutput(true, 6).signsOutput()).isEqualTo(5);
    assertThat(key.signingOutput(true, 5).signingOutput(false, 6)).isEqualTo(key);
  }

  @Test
  void dead_aHostThatIsHeld_isReleasedAndKeepsThatItUsesAKey() {
    row = aHost("h1").key(HostKey.NONE.welcomed(true).heldFor("its key")).row();

    assertThat(row.dead("declared dead").key()).isEqualTo(HostKey.NONE.welcomed(true));
  }

  @Test
  void everyFurtherStartIsGrantedAHigherEpoch() {
    register(aHost("h1").nonce("n1"));
    register(aHost("h1").nonce("n2"));

    assertThat(row.epoch()).isEqualTo(2);
  }

  @Test
  void aLostHostThatStartsAgainIsUp() {
    row = aHost("h1").nonce("n1").row().lost("silent");

    register(aHost("h1").nonce("n2"));

    assertThat(row.state()).isEqualTo(HostRow.State.UP);
    assertThat(row.reason()).isNull();
  }

  @Test
  void whatARestoredDatabaseAsksOfAHostOutlivesAStart() {
    row = aHost("h1").nonce("n1").epoch(9).restored(new Restored(1, 9, 0L, false, false)).row();

    register(aHost("h1").nonce("n2"));

    assertThat(row.epoch()).isEqualTo(10);
    assertThat(row.restored()).isEqualTo(new Restored(1, 9, 0L, false, true));
  }

  @Test
  void aCordonOutlivesAStart() {
    row = aHost("h1").nonce("n1").cordoned().row();

    register(aHost("h1").nonce("n2"));

    assertThat(row.cordoned()).isTrue();
    assertThat(row.reason()).isEqualTo("repairs");
  }

  @Test
  void whatTheJournalHoldsGoesOn() {
    AttemptRow attempt = running("a");

    register(aHost("h1").holds(attempt));

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    assertThat(scene.told(ToAgent.class)).isEmpty();
  }

  @Test
  void whatWasAcceptedAndIsInNoJournalStaysOpenWhileItsAgentMayBeAlive() {
    AttemptRow attempt = running("a");
    register(aHost("h1").nonce("n1").holds(attempt));
    beat(1);

    register(aHost("h1").nonce("n2"));

    assertThat(row.epoch()).isEqualTo(2);
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    assertThat(row.left(attempt)).isTrue();
  }

  @Test
  void whatWasLeftBehindIsLostOnceNothingWasHeardOfItsEpochForALease() {
    AttemptRow attempt = leaveBehind("a");
    quiet(LEASE);
    beat(1); // the agent that was superseded is alive
    beat(2);
    quiet(LEASE + MARGIN);
    closeLeft();
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);

    beat(2);
    quiet(1_000);
    closeLeft();

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("a").setbacks().failures()).containsEntry(FailureCategory.HOST_LOST, 1);
    assertThat(scene.reason("a")).startsWith("host h1 lost its journal");
    assertThat(row.left(attempt)).isFalse();
  }

  @Test
  void whatWasLeftBehindIsOfTheNextEpochThatHoldsIt() {
    AttemptRow attempt = leaveBehind("a");

    register(aHost("h1").nonce("n3").holds(attempt));

    assertThat(row.left(attempt)).isFalse();
    quiet(10 * LEASE);
    closeLeft();
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void whatWasLeftBehindStaysSoThroughFurtherStartsAndCountsFromItsOwnEpoch() {
    AttemptRow attempt = leaveBehind("a");
    beat(2);
    quiet(LEASE);
    beat(2);

    register(aHost("h1").nonce("n3"));
    quiet(MARGIN + 1_000);
    closeLeft();

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(row.left(attempt)).isFalse();
  }

  @Test
  void whatWasLeftBehindByAHostWhoseJobsRunOnWaitsForItsOutage() {
    AttemptRow attempt = running("a");
    register(aHost("h1").nonce("n1").maxOutage(4 * LEASE).holds(attempt));
    beat(1);
    register(aHost("h1").nonce("n2").maxOutage(4 * LEASE));

    quiet(LEASE + MARGIN + 1_000);
    closeLeft();
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    quiet(3 * LEASE);
    closeLeft();

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void anInventoryThatDoesNotKnowWhatWasLeftBehindProvesNothing() {
    AttemptRow attempt = leaveBehind("a");
    AHost host = aHost("h1").epoch(2).clock(attempt.notAfter() + 1);

    scene.transaction(
        unit ->
            row = InventoryCheck.apply(unit, row, host.inventory(), Optional.of(host.heartbeat())));

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void theLossOfTheHostTakesNothingThatWasLeftBehind() {
    leaveBehind("a");
    scene.transaction(unit -> row = HostLoss.lose(unit, row, true));
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);

    row = row.drained("burnt down", new HostRow.Drain(null, true));
    assertThat(row.declaredDead()).isTrue();
    scene.transaction(unit -> row = HostLoss.bury(unit, row));
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(row.holder()).isEqualTo(Holder.NONE);
  }

  @Test
  void anotherJournalIsRefusedWhileTheLeaseLivesAndShown() {
    AttemptRow attempt = running("a");
    register(aHost("h1").nonce("n1").seat("s1").holds(attempt));
    beat(1);

    register(aHost("h1").nonce("n2").journal("other").seat("s2"));

    Registration.Refusal refusal = (Registration.Refusal) answer;
    assertThat(refusal.reason())
        .startsWith("host name h1 is used by another agent on box of s1, journal journal,")
        .endsWith("stoker drain h1 --dead");
    assertThat(refusal.retryMs()).isEqualTo(5_000);
    assertThat(row.epoch()).isEqualTo(1);
    assertThat(row.holder().rival())
        .isEqualTo(new Holder.Rival("other", "box of s2", scene.store().now(), refusal.reason()));
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);

    register(aHost("h1").nonce("n3").journal("other").seat("s2"));
    assertThat(answer.row()).as("known by now").isEmpty();
  }

  @Test
  void anotherJournalIsWelcomeOnceTheLeaseHasRunOut() {
    running("a");
    register(aHost("h1").nonce("n1").seat("s1").holds(scene.attempt("a")));
    beat(1);
    quiet(LEASE + MARGIN + 1_000);

    register(aHost("h1").nonce("n2").journal("other").seat("s2"));

    assertThat(row.epoch()).isEqualTo(2);
    assertThat(row.grant().journal()).isEqualTo("other");
    assertThat(scene.state("a")).as("nothing of it can be left").isEqualTo(RequestState.QUEUED);
  }

  @Test
  void anotherJournal_ofAHostWithEpochsThatARestoredDatabaseDoesNotKnow_waitsForALease() {
    row =
        aHost("h1")
            .nonce("n1")
            .epoch(9)
            .state(HostRow.State.LOST)
            .restored(new Restored(1, 9, 0L, true, false))
            .row();
    beat(8);

    register(aHost("h1").nonce("n2").journal("other").seat("s2"));
    assertThat(answer)
        .as("an earlier one may run something")
        .isInstanceOf(Registration.Refusal.class);

    quiet(LEASE + MARGIN + 1_000);
    register(aHost("h1").nonce("n2").journal("other").seat("s2"));
    assertThat(answer).isInstanceOf(Registration.Welcomed.class);
  }

  @Test
  void anotherJournalIsWelcomeWhereTheHostWasDeclaredDead() {
    register(aHost("h1").nonce("n1").seat("s1"));
    beat(1);
    row = row.drained("disk replaced", new HostRow.Drain(null, true));
    scene.transaction(unit -> row = HostLoss.bury(unit, row));

    register(aHost("h1").nonce("n2").journal("other").seat("s2"));

    assertThat(row.epoch()).isEqualTo(3);
    assertThat(row.grant().journal()).isEqualTo("other");
  }

  @Test
  void aCloneOfTheDiskIsRefusedWhileTheHostIsHeardOf() {
    register(aHost("h1").nonce("n1").seat("s1"));
    beat(1);

    register(aHost("h1").nonce("n2").seat("s2"));
    assertThat(answer).isInstanceOf(Registration.Refusal.class);

    quiet(LEASE + MARGIN + 1_000);
    register(aHost("h1").nonce("n2").seat("s2"));
    assertThat(row.epoch()).as("after a restart of the machine").isEqualTo(2);
  }

  @Test
  void anotherJournalWaitsForTheOutageOfAHostWhoseJobsRunOnButItsOwnDoesNot() {
    register(aHost("h1").nonce("n1").seat("s1").maxOutage(4 * LEASE));
    beat(1);
    quiet(LEASE + MARGIN + 1_000);

    register(aHost("h1").nonce("n2").journal("other").seat("s2"));
    assertThat(answer).isInstanceOf(Registration.Refusal.class);
    register(aHost("h1").nonce("n3").seat("s3"));
    assertThat(row.epoch()).isEqualTo(2);
  }

  @Test
  void theSuccessorInTheSameSeatIsWelcomedAtOnce() {
    AttemptRow attempt = running("a");
    register(aHost("h1").nonce("n1").seat("s1").holds(attempt));
    beat(1);

    register(aHost("h1").nonce("n2").seat("s1").holds(attempt));

    assertThat(row.epoch()).isEqualTo(2);
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    assertThat(row.holder().left()).isEmpty();
  }

  @Test
  void aHelloIsChallengedFirst() {
    say(aHost("h1").nonce("n1").seat("s1").hello());

    assertThat(answer).isInstanceOf(Registration.Challenged.class);
    assertThat(row).isNull();
  }

  @Test
  void whoAnsweredAChallengeOnceCannotBeReplayed() {
    AHost first = aHost("h1").nonce("n1").seat("s1");
    register(first);
    Hello recorded = first.hello();
    AttemptRow attempt = running("a");
    register(aHost("h1").nonce("n2").seat("s1").holds(attempt));
    beat(2);
    HostRow before = row;

    say(recorded);

    assertThat(answer).isInstanceOf(Registration.Challenged.class);
    assertThat(row).isEqualTo(before);
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void anAnswerIsForItsNonceAlone() {
    say(aHost("h1").nonce("n1").seat("s1").hello());
    String challenge = ((Registration.Challenged) answer).challenge();

    say(aHost("h1").nonce("n2").seat("s1").answers(challenge).hello());

    assertThat(answer).isInstanceOf(Registration.Challenged.class);
  }

  @Test
  void anAgentThatKnowsNoChallengesIsWelcomeUntilOneOfItsHostHasAnsweredOne() {
    register(aHost("h1").nonce("n1"));
    assertThat(row.epoch()).isEqualTo(1);
    register(aHost("h1").nonce("n2").seat("s1"));
    assertThat(row.epoch()).isEqualTo(2);
    quiet(10 * LEASE);

    register(aHost("h1").nonce("n3"));
    assertThat(answer).isInstanceOf(Registration.Refusal.class);

    row = row.lost("silent");
    register(aHost("h1").nonce("n3"));
    assertThat(answer).as("no way back").isInstanceOf(Registration.Refusal.class);
  }

  @Test
  void aSettingDemandsChallengesOfAll() {
    challengeAll = true;
    register(aHost("h1").nonce("n1"));
    assertThat(answer).isInstanceOf(Registration.Refusal.class);
  }

  @Test
  void whatADispatcherOfTheBuildBeforeHasGrantedHasNoSeat() {
    register(aHost("h1").nonce("n1").seat("s1"));
    HostRow since = aHost("h1").nonce("n2").epoch(2).holder(row.holder()).row();
    row = since;
    beat(2);

    register(aHost("h1").nonce("n3").seat("s3"));

    assertThat(row.epoch()).isEqualTo(3);
  }

  @Test
  void whatAnotherAgentMayHaveAcceptedIsNotPublishedToThisOne() {
    register(aHost("h1").nonce("n1").seat("s1").maxOutage(4 * LEASE));
    beat(1);
    scene.post(aRequest("a"));
    AttemptRow attempt = scene.place("a", "h1");
    quiet(LEASE + MARGIN + 1_000);

    register(aHost("h1").nonce("n2").seat("s2"));

    assertThat(row.left(attempt)).isTrue();
    assertThat(scene.state("a")).isEqualTo(RequestState.PLACED);
  }

  @Test
  void whatIsOnAnotherHostIsNotTouched() {
    running("a");

    register(aHost("h2"));

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void whatWasNotAcceptedYetStaysToBePublishedInTheNewEpoch() {
    scene.post(aRequest("a"));
    AttemptRow attempt = scene.place("a", "h1");

    register(aHost("h1"));

    assertThat(scene.attempt("a")).isEqualTo(attempt);
    assertThat(scene.told(ToAgent.class)).isEmpty();
  }

  @Test
  void whatRunsAlthoughItIsClosedIsToldToEnd() {
    AttemptRow attempt = running("a");
    close("a");

    register(aHost("h1").holds(attempt));

    assertThat(scene.told(ToAgent.Cancel.class))
        .containsExactly(new ToAgent.Cancel(attempt.job(), 1, "the attempt was closed"));
  }

  @Test
  void whatHasEndedAndIsClosedNeedNotBeKept() {
    AttemptRow attempt = running("a");
    close("a");

    register(aHost("h1").holdsEnded(attempt));

    assertThat(scene.told(ToAgent.class)).containsExactly(new ToAgent.Forget(attempt.job(), 1));
  }

  @Test
  void whatHasEndedAndIsOpenIsAskedFor() {
    AttemptRow attempt = running("a");

    register(aHost("h1").holdsEnded(attempt));

    assertThat(scene.told(ToAgent.class)).containsExactly(new ToAgent.Report(attempt.job(), 1));
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
  }

  private AttemptRow running(String request) {
    scene.post(aRequest(request));
    scene.run(request);
    return scene.attempt(request);
  }

  /** Closes the request's attempt without a word to its agent. */
  private void close(String request) {
    scene.transaction(unit -> HostLoss.lose(unit, aHost("h1").row(), false));
  }

  /** Runs the request, and lets an agent say hello that does not know of it: epoch 2. */
  private AttemptRow leaveBehind(String request) {
    AttemptRow attempt = running(request);
    register(aHost("h1").nonce("n1").holds(attempt));
    beat(1);
    register(aHost("h1").nonce("n2"));
    return scene.attempt(request);
  }

  /** As an agent does that answers what it is asked, if it can. */
  private void register(AHost host) {
    say(host.hello());
    if (answer instanceof Registration.Challenged asked) {
      say(host.answers(asked.challenge()).hello());
    }
  }

  private void say(Hello hello) {
    Silence silence = directory.silence("h1");
    scene.transaction(
        unit -> {
          answer =
              Registration.answer(
                  unit, Optional.ofNullable(row), hello, signed, silence, challengeAll);
          row = answer.row().orElse(row);
        });
    if (answer instanceof Registration.Welcomed) {
      directory.registered("h1", row.epoch());
    }
  }

  private void closeLeft() {
    scene.transaction(unit -> row = LeftBehind.close(unit, row, directory.silence("h1")));
  }

  private void beat(long epoch) {
    directory.atEnd(true);
    assertThat(directory.heard(aHost("h1").epoch(epoch).beats(++beats).heartbeat()))
        .isNotEqualTo(HostDirectory.Sound.OLD);
  }

  /** The end of the heartbeat log is held, and nothing comes. */
  private void quiet(long ms) {
    directory.atEnd(true);
    for (long left = ms; left > 0; left -= 1_000) {
      scene.store().pass(Math.min(left, 1_000));
      directory.atEnd(true);
    }
  }
}
