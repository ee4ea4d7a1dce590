package io.stoker.dispatcher.model;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.HostRow.State;
import org.junit.jupiter.api.Test;

class HostRowTest {
  private final HostRow row = aHost("h").epoch(3).row();

  @Test
  void gone_ofAHostThatIsLost_orInAnEpochBefore_changesNothing() {
    HostRow lost = row.lost("silent");

    assertThat(lost.gone(3)).isEqualTo(lost);
    assertThat(row.gone(2)).isEqualTo(row);
    assertThat(row.gone(3).state()).isEqualTo(State.GONE);
  }

  @Test
  void lost_ofAHostThatHasSaidGoodbye_isLost_andItsEpochStays() {
    HostRow lost = row.gone(3).lost("silent");

    assertThat(lost.state()).isEqualTo(State.LOST);
    assertThat(lost.epoch()).isEqualTo(3);
    assertThat(lost.reason()).isEqualTo("silent");
  }

  @Test
  void dead_takesItsEpochFromItsAgent_whichCannotSayGoodbyeInItAnyMore() {
    HostRow dead = row.dead("burnt");

    assertThat(dead.epoch()).isEqualTo(4);
    assertThat(dead.state()).isEqualTo(State.LOST);
    assertThat(dead.gone(3)).isEqualTo(dead);
  }
}
