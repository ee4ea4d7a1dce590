package io.stoker.dispatcher.coordinator.control;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.HostRow;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HostControlTest {
  private final HostRow row = aHost("h1").row();

  @Test
  void reason_saysWhoseItIs_whereThatIsKnown() {
    Optional<String> ann = Optional.of("ann");
    assertThat(HostControl.signed(row, "broken fan", ann)).isEqualTo("by ann: broken fan");
    assertThat(HostControl.signed(row, null, ann)).isEqualTo("by ann");
    assertThat(HostControl.signed(row, " ", ann)).isEqualTo("by ann");
    assertThat(HostControl.signed(row, "broken fan", Optional.empty())).isEqualTo("broken fan");
    assertThat(HostControl.signed(row, null, Optional.empty())).isNull();
  }

  @Test
  void reason_ofWhoAskedBefore_staysWhereTheNextGivesNone() {
    HostRow cordoned = row.cordon(true, "by ann: broken fan");
    String again = HostControl.signed(cordoned, null, Optional.of("bea"));
    assertThat(cordoned.cordon(true, again).reason()).isEqualTo("by ann: broken fan");
  }
}
