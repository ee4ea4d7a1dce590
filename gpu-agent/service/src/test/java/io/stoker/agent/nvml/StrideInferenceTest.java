package io.stoker.agent.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrideInferenceTest {

  @ParameterizedTest(name = "{0} bytes written for {1} entries in {2} slots: {3}")
  @CsvSource({
    // entries that end where they should
    "16, 1, 5, 16",
    "24, 1, 5, 24",
    "32, 1, 5, 32",
    "48, 3, 5, 16",
    "72, 3, 5, 24",
    "96, 3, 5, 32",
    // padding or instances that happen to hold the fill
    "21, 1, 5, 24",
    "69, 3, 5, 24",
    // nothing but fill: no shorter entry exists
    "0, 1, 5, 16",
    // written past the entries: the reach tells nothing
    "160, 2, 5, 24"
  })
  void theReachOfWhatWasWrittenGivesTheStride(int written, int entries, int slots, int stride) {
    byte[] buffer = new byte[slots * Layouts.ProcessInfo.LONGEST];
    Arrays.fill(buffer, StrideInference.FILL);
    Arrays.fill(buffer, 0, written, (byte) 7);

    assertThat(StrideInference.strideOf(buffer, entries)).isEqualTo(stride);
  }
}
