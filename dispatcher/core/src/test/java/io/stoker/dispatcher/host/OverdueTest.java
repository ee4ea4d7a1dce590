package io.stoker.dispatcher.host;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OverdueTest {
  private final Scene scene = new Scene();
  private AttemptRow attempt;

  @BeforeEach
  void placeOne() {
    scene.post(aRequest("a"));
    attempt = scene.place("a", "h1");
  }

  @Test
  void aHeartbeatAfterNotAfterThatDoesNotListTheAttemptProvesIt() {
    assertThat(overdue(after(1))).isTrue();
  }

  @Test
  void timeAloneProvesNothing() {
    assertThat(overdue(after(0))).as("it might still accept within this ms").isFalse();
    assertThat(overdue(aHost("h1").clock(attempt.placedAt()))).isFalse();
  }

  @Test
  void anAttemptThatTheHeartbeatListsWasAcceptedHoweverLateItsEvent() {
    assertThat(overdue(after(60_000).holds(attempt))).isFalse();
    assertThat(overdue(after(60_000).holdsEnded(attempt))).isFalse();
  }

  @Test
  void anAgentThatKnowsItsCancelAloneNeverHadIt() {
    HeldAttempt cancelled =
        new HeldAttempt(attempt.job(), attempt.number(), 1, false, Outcome.CANCELLED);
    HeldAttempt ran = new HeldAttempt(attempt.job(), attempt.number(), 2, false, Outcome.CANCELLED);

    assertThat(Overdue.holds(List.of(cancelled), attempt)).isFalse();
    assertThat(Overdue.holds(List.of(ran), attempt)).isTrue();
  }

  @Test
  void aHeartbeatOfAnotherEpochProvesNothing() {
    assertThat(Overdue.neverAccepted(attempt, after(1).epoch(2).heartbeat(), 1)).isFalse();
    assertThat(Overdue.neverAccepted(attempt, after(1).epoch(1).heartbeat(), 2)).isFalse();
  }

  @Test
  void anAcceptedAttemptIsNotOverdue() {
    AttemptRow accepted = attempt.heard(1, AttemptRow.State.ACCEPTED, java.util.List.of(), 1);

    assertThat(Overdue.neverAccepted(accepted, after(1).heartbeat(), 1)).isFalse();
  }

  private AHost after(long ms) {
    return aHost("h1").clock(attempt.notAfter() + ms);
  }

  private boolean overdue(AHost host) {
    return Overdue.neverAccepted(attempt, host.heartbeat(), 1);
  }
}
