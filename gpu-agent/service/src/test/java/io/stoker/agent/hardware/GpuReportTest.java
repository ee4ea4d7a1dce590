package io.stoker.agent.hardware;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.nvml.NvmlStart;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class GpuReportTest {
  @Test
  void saysWhyThereIsNoGpu() {
    GpuReport.Report none = GpuReport.of(new NvmlStart.NoGpu("no driver"));
    GpuReport.Report failed =
        GpuReport.of(new NvmlStart.Failed("version mismatch", OptionalInt.of(18)));

    assertThat(none.state()).isEqualTo("NO_GPU");
    assertThat(none.reason()).isEqualTo("no driver");
    assertThat(failed.state()).isEqualTo("FAILED");
    assertThat(failed.reason()).isEqualTo("version mismatch");
  }
}
