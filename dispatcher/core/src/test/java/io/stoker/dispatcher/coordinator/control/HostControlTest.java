package io.stoker.dispatcher.coordinator.control;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Restored;
import java.util.HashMap;
import java.util.Map;
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

  @Test
  void dead_readAgainAfterARestore_isNotBelievedOfAHostThatWasHeardSinceTheBackup() {
    HostRow heard = aHost("h1").epoch(9).restored(new Restored(1, 9, 0L, true, false)).row();
    HostRow silent = aHost("h1").epoch(9).restored(new Restored(1, 9, 0L, false, false)).row();

    assertThat(HostControl.dead(heard, true, true)).isNull();
    assertThat(HostControl.dead(heard, true, false)).as("said after the restore").isTrue();
    assertThat(HostControl.dead(silent, true, true)).isTrue();
    assertThat(HostControl.dead(row, true, true)).isTrue();
    assertThat(HostControl.dead(row, null, false)).isNull();
  }

  /** Each start of the host's agent would be told of it. */
  @Test
  void policy_withoutAValueOfAParameter_isRefused() {
    Map<String, String> none = new HashMap<>();
    none.put("put_interval", null);

    Optional<String> flaw =
        new HostControl(null, null, null)
            .policy(new ControlMessage.Policy("c-1", "h1", "auto", none))
            .await()
            .indefinitely();

    assertThat(flaw).hasValue("parameters: {put_interval=null}, expected texts");
  }
}
