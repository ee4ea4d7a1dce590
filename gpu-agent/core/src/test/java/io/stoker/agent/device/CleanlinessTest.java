package io.stoker.agent.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.device.Cleanliness.Left;
import io.stoker.agent.gpu.ComputeProcess;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Devices of 16 GiB, of which the driver takes 500 MiB. Pids below 100 are alive. */
class CleanlinessTest {
  private static final long MIB = 1L << 20;
  private static final long TOTAL = 16_384 * MIB;
  private final Cleanliness cleanliness = new Cleanliness();

  @Test
  void memoryThatNoProcessExplainsIsTheDeads() {
    assertThat(look(500)).isEqualTo(Left.NOTHING);
    assertThat(look(3_500, process(7, 3_000))).isEqualTo(Left.NOTHING);
    assertThat(look(3_500)).isEqualTo(Left.MEMORY);
    assertThat(look(500 + 163)).as("1 % is tolerated").isEqualTo(Left.NOTHING);
    assertThat(look(500 + 164)).isEqualTo(Left.MEMORY);
    assertThat(look(500)).isEqualTo(Left.NOTHING);
  }

  @Test
  void whatWasThereAtFirstIsTheMeasureUntilItIsLess() {
    assertThat(look(2_000)).isEqualTo(Left.NOTHING);
    assertThat(look(500)).isEqualTo(Left.NOTHING);
    assertThat(look(2_000)).isEqualTo(Left.MEMORY);
  }

  @Test
  void aProcessThatIsListedAndGoneIsLeft() {
    look(500);

    assertThat(look(1_500, process(700, 1_000))).isEqualTo(Left.PROCESSES);
  }

  @Test
  void aProcessOfWhichTheMemoryIsNotKnownHidesMemoryAndIsNeverANumber() {
    look(500);

    assertThat(look(3_500, process(7, -1))).isEqualTo(Left.NOTHING);
    assertThat(look(3_500, process(700, -1))).isEqualTo(Left.PROCESSES);
  }

  private Left look(long usedMib, ComputeProcess... processes) {
    List<ComputeProcess> all = Arrays.asList(processes);
    return cleanliness.look("gpu", TOTAL, usedMib * MIB, Optional.of(all), pid -> pid < 100);
  }

  private static ComputeProcess process(long pid, long mib) {
    return new ComputeProcess(
        pid,
        mib < 0 ? OptionalLong.empty() : OptionalLong.of(mib * MIB),
        OptionalInt.empty(),
        OptionalInt.empty());
  }
}
