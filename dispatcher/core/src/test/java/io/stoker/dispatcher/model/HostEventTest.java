package io.stoker.dispatcher.model;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.dispatcher.model.HostEvent.What;
import io.stoker.dispatcher.scenario.AHost;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostEventTest {
  private final HostRow row = host().row();

  private static AHost host() {
    return aHost("h").gpus(2);
  }

  private List<HostEvent> to(HostRow now) {
    return HostEvent.between(Optional.of(row), now);
  }

  @Test
  void between_nothingAndAHost_isItsStart() {
    assertThat(HostEvent.between(Optional.empty(), row))
        .containsExactly(new HostEvent(What.STARTED, "agent 1, start 1"));
  }

  @Test
  void between_epochs_isAStart() {
    assertThat(to(host().epoch(2).row()))
        .containsExactly(new HostEvent(What.STARTED, "agent 1, start 2"));
  }

  @Test
  void between_aRowAndTheSame_isNothing() {
    assertThat(to(row)).isEmpty();
    assertThat(to(row.told(settings -> settings.withPolicy("first", null, "id")))).isEmpty();
  }

  @Test
  void between_upAndLost_saysWhyAndOnce() {
    HostRow lost = row.lost("no heartbeat", 5);
    assertThat(to(lost)).containsExactly(new HostEvent(What.LOST, "no heartbeat"));
    assertThat(HostEvent.between(Optional.of(lost), lost.lost("again"))).isEmpty();
  }

  @Test
  void between_upAndDeclaredDead_isALossAndNoStart() {
    assertThat(to(row.dead("by ann: burnt")))
        .containsExactly(new HostEvent(What.LOST, "by ann: burnt"));
  }

  @Test
  void between_upAndGone_isAStop() {
    assertThat(to(row.gone(1))).containsExactly(new HostEvent(What.STOPPED, null));
  }

  @Test
  void between_cordonAndItsEnd_saysBoth() {
    HostRow cordoned = row.cordon(true, "by ann: a new fan");
    assertThat(to(cordoned)).containsExactly(new HostEvent(What.CORDONED, "by ann: a new fan"));
    assertThat(HostEvent.between(Optional.of(cordoned), cordoned.cordon(false, null)))
        .containsExactly(new HostEvent(What.UNCORDONED, null));
  }

  @Test
  void between_cordonedAndDraining_isToldAsOne() {
    HostRow draining = row.drained("new driver", new HostRow.Drain(9L, null));
    assertThat(to(draining)).containsExactly(new HostEvent(What.DRAINING, "new driver"));
    assertThat(
            HostEvent.between(
                Optional.of(draining), draining.drained("sooner", new HostRow.Drain(7L, null))))
        .isEmpty();
  }

  @Test
  void between_heldAndReleased_saysBoth() {
    HostRow held = row.with(HostKey.NONE.heldFor("its key was revoked"));
    assertThat(to(held)).containsExactly(new HostEvent(What.HELD, "its key was revoked"));
    assertThat(HostEvent.between(Optional.of(held), row))
        .containsExactly(new HostEvent(What.RELEASED, null));
  }

  @ParameterizedTest
  @CsvSource({"UNHEALTHY, Xid 79, 1: Xid 79", "QUARANTINED,, 1: QUARANTINED"})
  void between_healthOfAGpu_saysWhichAndWhy(String state, String reason, String detail) {
    HostRow unwell = row.with(with(state, reason));
    assertThat(to(unwell)).containsExactly(new HostEvent(What.GPU_UNHEALTHY, detail));
    assertThat(HostEvent.between(Optional.of(unwell), row))
        .containsExactly(new HostEvent(What.GPU_HEALTHY, "1"));
  }

  @Test
  void between_aGpuThatIsCleanedAndTheSame_isNothing() {
    assertThat(to(row.with(with("CLEANING", null)))).isEmpty();
  }

  /** What the host has, of which the second GPU is in a state. */
  private static HostResources with(String state, String reason) {
    List<DeviceInfo> two = host().resources().devices();
    DeviceInfo second = two.get(1);
    DeviceInfo changed =
        new DeviceInfo(
            second.id(), second.uuid(), second.model(), second.memory(), "9.0", state, reason);
    return host().devices(List.of(two.getFirst(), changed)).resources();
  }
}
