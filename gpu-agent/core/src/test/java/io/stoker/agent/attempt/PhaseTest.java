package io.stoker.agent.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class PhaseTest {
  private static final RunProcess PROCESS = new RunProcess(1, 2, "boot", 3, 4);
  private static final Phase RUNNING = Phase.accepted().started(PROCESS);

  @Test
  void kill_ofWhatIsEnding_keepsTheFirstReason() {
    Phase.Ending first = RUNNING.kill(KillReason.CANCEL, "first");

    assertThat(first.kill(KillReason.TIMEOUT, "second")).isSameAs(first);
    assertThat(first.process()).contains(PROCESS);
    assertThat(first.unbegun().process()).isEmpty();
  }

  @Test
  void started_whileEnding_isTheProcessThatDies() {
    Phase ending = Phase.accepted().kill(KillReason.CANCEL, "why").started(PROCESS);

    assertThat(ending).isEqualTo(new Phase.Ending(KillReason.CANCEL, "why", Optional.of(PROCESS)));
  }

  @Test
  void again_ofWhatIsEnding_isRefusedWithBothNamed() {
    Phase ending = RUNNING.kill(KillReason.CANCEL, "why");

    assertThat(RUNNING.again()).isEqualTo(Phase.accepted());
    assertThatThrownBy(ending::again)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Ending")
        .hasMessageContaining("Waiting");
  }
}
