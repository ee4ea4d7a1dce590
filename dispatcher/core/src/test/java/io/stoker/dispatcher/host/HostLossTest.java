package io.stoker.dispatcher.host;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Restored;
import io.stoker.dispatcher.scenario.Scene;
import org.junit.jupiter.api.Test;

class HostLossTest {
  private final Scene scene = new Scene();
  private HostRow row = aHost("h1").row();

  @Test
  void whatRanThereIsTriedAgainElsewhere() {
    scene.post(aRequest("a"));
    scene.run("a");

    lose(true);

    assertThat(row.state()).isEqualTo(HostRow.State.LOST);
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.inLine("a")).isTrue();
    assertThat(scene.job("a").setbacks().avoid().hosts()).containsExactly("h1");
    assertThat(scene.job("a").setbacks().failures()).containsEntry(FailureCategory.HOST_LOST, 1);
    assertThat(scene.store().attempts()).isEmpty();
  }

  @Test
  void whatHasUsedItsAttemptsFails() {
    scene.post(aRequest("a").retry("hostLost", 0));
    scene.run("a");

    lose(true);

    assertThat(scene.code("a")).isEqualTo(Code.HOST_LOST);
    assertThat(scene.reason("a")).isEqualTo("host h1 was lost: no heartbeat within its lease");
  }

  @Test
  void massExpiryCostsNoRetry() {
    scene.post(aRequest("a").retry("hostLost", 0));
    scene.run("a");

    lose(false);

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("a").setbacks().failures()).isEmpty();
    assertThat(scene.job("a").setbacks().avoid().hosts()).isEmpty();
  }

  @Test
  void ofOneThatWasNotHeardOfSinceARestoreNobodyKnowsWhoseFaultItIs() {
    row = aHost("h1").epoch(9).restored(new Restored(1, 9, 0L, false, false)).row();
    scene.post(aRequest("a").retry("hostLost", 0));
    scene.run("a");

    lose(true);

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(row.duty().losses()).isEmpty();
    assertThat(row.unsettled()).as("nothing can run there any more").isFalse();
  }

  @Test
  void whatIsItsOwnFaultIsRememberedUntilPeopleLetPlacementsComeAgain() {
    lose(false);
    assertThat(row.duty().losses()).isEmpty();
    row = aHost("h1").back(row);
    lose(true);
    lose(true);
    assertThat(row.duty().losses()).as("one loss").containsExactly(scene.store().now());

    assertThat(row.cordon(true, "its link drops").duty().losses()).hasSize(1);
    assertThat(row.cordon(true, "its link drops").cordon(false, null).duty().losses()).isEmpty();
    for (int i = 0; i < 50; i++) {
      row = aHost("h1").back(row);
      lose(true);
    }
    assertThat(row.duty().losses()).as("the last ones").hasSize(16);
  }

  @Test
  void whatWasNotAcceptedYetCostsNoRetry() {
    scene.post(aRequest("a").retry("hostLost", 0));
    scene.place("a", "h1");

    lose(true);

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void whatWasToldToEndHasEnded() {
    scene.post(aRequest("a"));
    scene.run("a");
    scene.cancel("a");

    lose(true);

    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.reason("a")).isEqualTo("not needed");
  }

  @Test
  void otherHostsKeepTheirs() {
    scene.post(aRequest("a"));
    scene.place("a", "h2");

    lose(true);

    assertThat(scene.state("a")).isEqualTo(RequestState.PLACED);
  }

  @Test
  void aHostThatIsDeclaredDeadLosesItsEpochAndCostsNoRetry() {
    scene.post(aRequest("a").retry("hostLost", 0));
    scene.run("a");
    row = row.drained("burnt down", new HostRow.Drain(null, true));
    assertThat(row.declaredDead()).isTrue();
    long epoch = row.epoch();

    scene.transaction(unit -> row = HostLoss.bury(unit, row));

    assertThat(row.state()).isEqualTo(HostRow.State.LOST);
    assertThat(row.epoch()).isEqualTo(epoch + 1);
    assertThat(row.declaredDead()).as("once").isFalse();
    assertThat(row.buried()).as("until it is back").isTrue();
    assertThat(row.reason()).isEqualTo("host h1 was declared dead: burnt down");
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.job("a").setbacks().failures()).isEmpty();
  }

  @Test
  void oneThatHasSaidGoodbyeIsDeadAtOnceToo() {
    scene.post(aRequest("a"));
    scene.place("a", "h1");
    row = row.gone(row.epoch()).drained("scrapped", new HostRow.Drain(null, true));
    assertThat(row.declaredDead()).isTrue();

    scene.transaction(unit -> row = HostLoss.bury(unit, row));

    assertThat(row.state()).isEqualTo(HostRow.State.LOST);
    assertThat(row.declaredDead()).as("once").isFalse();
    assertThat(row.buried()).isTrue();
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
  }

  private void lose(boolean costsRetry) {
    scene.transaction(unit -> row = HostLoss.lose(unit, row, costsRetry));
  }
}
