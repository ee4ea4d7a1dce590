package io.stoker.agent.hardware;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import io.stoker.agent.nvml.NvmlStart;
import io.stoker.agent.nvml.OnFakeNvml;
import io.stoker.common.json.Json;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class GpuReportTest extends OnFakeNvml {
  GpuReportTest() {
    super(Variant.CURRENT, 16L << 30);
  }

  @Test
  void saysWhyThereIsNoGpu() {
    JsonNode none = written(new NvmlStart.NoGpu("no driver"));
    JsonNode failed = written(new NvmlStart.Failed("version mismatch", OptionalInt.of(18)));

    assertThat(none.path("state").asText()).isEqualTo("NO_GPU");
    assertThat(none.path("reason").asText()).isEqualTo("no driver");
    assertThat(failed.path("state").asText()).isEqualTo("FAILED");
    assertThat(failed.path("reason").asText()).isEqualTo("version mismatch");
  }

  @Test
  void saysWhatIsInstalledAndWhatTheGpusAre() {
    world.with("driver_version", "575.57.08").with("cuda_version", 12090);

    JsonNode ready = written(new NvmlStart.Ready(nvml));

    assertThat(ready.path("state").asText()).isEqualTo("READY");
    assertThat(ready.at("/versions/driver").asText()).isEqualTo("575.57.08");
    assertThat(ready.at("/versions/cuda").asText()).isEqualTo("12.9");
    assertThat(ready.at("/gpus/0/uuid").asText()).isEqualTo(gpu(0));
    assertThat(ready.at("/gpus/0/memory").asLong()).isEqualTo(16L << 30);
  }

  /** As it is printed. */
  private static JsonNode written(NvmlStart start) {
    return Json.tree(GpuReport.of(start));
  }
}
