package io.stoker.dispatcher.lease;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.Scene;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegistrationTest {
  private final Scene scene = new Scene();
  private HostRow row;

  @Test
  void theFirstStartIsGrantedTheFirstEpoch() {
    register(aHost("h1").nonce("n1"));

    assertThat(row.epoch()).isEqualTo(1);
    assertThat(row.state()).isEqualTo(HostRow.State.UP);
    assertThat(row.seenAt()).isEqualTo(scene.store().now());
  }

  @Test
  void aHostThatWasTakenForDeadIsAliveAgainAndStaysDrained() {
    register(aHost("h1").nonce("n1"));
    row = row.drained("off", new HostRow.Drain(null, true)).dead("declared dead");

    register(aHost("h1").nonce("n2"));

    assertThat(row.epoch()).isEqualTo(3);
    assertThat(row.state()).isEqualTo(HostRow.State.UP);
    assertThat(row.cordoned()).isTrue();
    assertThat(row.drain()).isEqualTo(new HostRow.Drain(null));
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
  void whatWasAcceptedAndIsInNoJournalIsLost() {
    running("a");

    register(aHost("h1"));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("a").failures()).containsEntry(FailureCategory.HOST_LOST, 1);
    assertThat(scene.reason("a")).startsWith("host h1 lost its journal");
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
    scene.transaction(ledger -> HostLoss.lose(ledger, aHost("h1").row(), false));
  }

  private void register(AHost host) {
    scene.transaction(
        ledger -> row = Registration.register(ledger, Optional.ofNullable(row), host.hello()));
  }
}
