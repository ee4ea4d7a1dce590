package io.stoker.agent.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.pool.Slot.Phase;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class SlotTest {

  @Test
  void enter_aPhaseThatNeverFollows_isRefusedWithBothNamedAndChangesNothing() {
    Slot slot = new Slot(0);
    slot.enter(Phase.WANTED, 1);

    assertThatThrownBy(() -> slot.enter(Phase.BUSY, 2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("WANTED is never followed by BUSY");
    assertThat(slot.phase()).isEqualTo(Phase.WANTED);
    assertThat(slot.since).isEqualTo(1);
  }

  @Test
  void phases_ofAWorker_leadToItsEndFromEach() {
    for (Phase phase : EnumSet.complementOf(EnumSet.of(Phase.EMPTY, Phase.KILLING))) {
      assertThat(phase.to(Phase.KILLING).to(Phase.EMPTY).to(Phase.WANTED)).isEqualTo(Phase.WANTED);
      assertThat(phase.leadsTo(Phase.STOPPING)).isEqualTo(phase == Phase.IDLE);
    }
    assertThat(Phase.KILLING.leadsTo(Phase.IDLE)).isFalse();
    assertThat(Phase.EMPTY.leadsTo(Phase.KILLING)).isFalse();
  }
}
