package io.stoker.agent.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.hardware.HostMemory;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class OfferedMemoryTest {
  private static final HostMemory HOST = new HostMemory(8_192, 5_120);

  @Test
  void offeredIsWhatIsThereUnlessLessIsToBe() {
    assertThat(OfferedMemory.of(Optional.empty(), Optional.of(HOST))).hasValue(8_192);
    assertThat(OfferedMemory.of(Optional.of("4KiB"), Optional.of(HOST))).hasValue(4_096);
    assertThat(OfferedMemory.of(Optional.of("1TiB"), Optional.of(HOST))).hasValue(8_192);
    assertThat(OfferedMemory.of(Optional.of("4KiB"), Optional.empty())).hasValue(4_096);
    assertThat(OfferedMemory.of(Optional.empty(), Optional.empty()))
        .isEqualTo(OptionalLong.empty());
    assertThatThrownBy(() -> OfferedMemory.of(Optional.of("lots"), Optional.of(HOST)))
        .hasMessageContaining("stoker.agent.memory.total")
        .hasMessageContaining("lots");
  }
}
