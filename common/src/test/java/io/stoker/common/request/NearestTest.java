package io.stoker.common.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {
  private static final List<String> KNOWN =
      List.of("id", "command", "dependsOn", "gpuMemory", "env", "priority");

  @ParameterizedTest
  @CsvSource({
    "comand, command",
    "commnad, command",
    "depends_on, dependsOn",
    "gpu-memory, gpuMemory",
    "GpuMemory, gpuMemory",
    "enb, env",
    "prioritiy, priority"
  })
  void aSlipIsRecognised(String written, String meant) {
    assertThat(Nearest.hint(written, KNOWN)).isEqualTo(" (did you mean " + meant + "?)");
  }

  @ParameterizedTest
  @CsvSource({"xyz", "ab", "colour", "timeout"})
  void somethingElseIsNot(String written) {
    assertThat(Nearest.hint(written, KNOWN)).isEmpty();
  }
}
