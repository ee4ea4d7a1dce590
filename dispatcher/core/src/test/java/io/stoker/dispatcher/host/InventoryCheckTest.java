package io.stoker.dispatcher.host;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.Scene;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InventoryCheckTest {
  private final Scene scene = new Scene();
  private HostRow row = aHost("h1").row();
  private AttemptRow attempt;

  @BeforeEach
  void runOne() {
    scene.post(aRequest("a"));
    scene.run("a");
    attempt = scene.attempt("a");
  }

  @Test
  void whatAHeartbeatProvesToBeGoneIsLost() {
    take(aHost("h1"), Optional.of(after(1).heartbeat()));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("a").setbacks().failures()).containsEntry(FailureCategory.HOST_LOST, 1);
    assertThat(scene.reason("a")).startsWith("host h1 does not know the attempt any more");
  }

  @Test
  void anInventoryOlderThanTheAcceptanceProvesNothingHoweverOftenItComes() {
    take(aHost("h1"), Optional.empty());
    take(aHost("h1"), Optional.of(aHost("h1").clock(attempt.notAfter()).heartbeat()));
    take(aHost("h1"), Optional.of(after(60_000).holds(attempt).heartbeat()));
    take(aHost("h1"), Optional.of(after(60_000).epoch(2).heartbeat()));

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void anEndThatIsNoNewerThanWhatWasHeardIsNoneOfTheAttempt() {
    // Its journal is lost; all that the new one holds is that the attempt was cancelled.
    take(aHost("h1").holdsEnded(attempt), Optional.of(after(1).holdsEnded(attempt).heartbeat()));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("a").setbacks().failures()).containsEntry(FailureCategory.HOST_LOST, 1);
  }

  @Test
  void whatWasNotAcceptedIsNotMissing() {
    scene.post(aRequest("b"));
    scene.place("b", "h1");

    take(aHost("h1").holds(attempt), Optional.of(after(60_000).heartbeat()));

    assertThat(scene.state("b")).isEqualTo(RequestState.PLACED);
  }

  @Test
  void whatIsOnAnotherHostIsNotMissing() {
    row = aHost("h2").row();
    take(aHost("h2"), Optional.of(aHost("h2").clock(attempt.notAfter() + 1).heartbeat()));

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void itSaysWhatIsClosedAndAsksForWhatHasEnded() {
    AttemptRow closed =
        anAttempt("gone").number(3).heard(AttemptRow.State.PLACED, 1).cpuSlots(1).row();

    take(aHost("h1").holdsEnded(attempt).holds(closed), Optional.empty());

    assertThat(scene.told(ToAgent.class))
        .containsExactly(
            new ToAgent.Report(attempt.job(), 1),
            new ToAgent.Cancel("gone", 3, "the attempt was closed"));
  }

  @Test
  void theHostHasWhatItSaysNow() {
    take(aHost("h1").cpuSlots(17).holds(attempt), Optional.empty());

    assertThat(row.resources().cpuSlots()).isEqualTo(17);
  }

  private AHost after(long ms) {
    return aHost("h1").clock(attempt.notAfter() + ms);
  }

  private void take(AHost host, Optional<Heartbeat> last) {
    scene.transaction(unit -> row = InventoryCheck.apply(unit, row, host.inventory(), last));
  }
}
