package io.stoker.agent.hardware;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.device.CpuSet;
import io.stoker.agent.device.DeviceList;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.device.InventoryReader;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.nvml.FakeNvmlCompiler;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import io.stoker.agent.nvml.FakeWorld;
import io.stoker.agent.nvml.Nvml;
import io.stoker.agent.nvml.NvmlStart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine of two halves, 0-3 and 4-7, with a GPU in each, and one that tells nothing. */
class NearCpusTest {
  private static final Path LIBRARY = FakeNvmlCompiler.library(Variant.CURRENT);

  @TempDir Path dir;

  private Inventory inventory() {
    FakeWorld world = FakeWorld.in(dir, LIBRARY);
    for (int i = 0; i < 3; i++) {
      world.addGpu(i, FakeWorld.GIB);
    }
    world.with("gpu0/cpu_affinity", "0x0f").with("gpu1/cpu_affinity", "0xf0");
    try (NvmlApi nvml = ((NvmlStart.Ready) Nvml.open(LIBRARY.toString())).api()) {
      return new InventoryReader(Optional.of(DeviceList.parse("0,1,2")), 1).read(nvml);
    }
  }

  private String near(String own, String... devices) {
    Inventory inventory = inventory();
    return new NearCpus(() -> inventory, CpuSet.parse(own)).of(List.of(devices)).toString();
  }

  @Test
  void aJobRunsNearItsGpus() {
    assertThat(near("0-15", "0")).isEqualTo("0-3");
    assertThat(near("0-15", "0", "1")).isEqualTo("0-7");
  }

  @Test
  void noFurtherThanTheAgentItself() {
    assertThat(near("2-5", "1")).isEqualTo("4-5");
    assertThat(near("8-9", "1")).as("none of them is near").isEmpty();
    assertThat(near("4-6", "1")).as("all of them are").isEmpty();
  }

  @Test
  void whereItIsNotKnownOrThereIsNoGpuItRunsAnywhere() {
    assertThat(near("0-15", "2")).isEmpty();
    assertThat(near("0-15", "0", "2")).isEmpty();
    assertThat(near("0-15", "gone")).isEmpty();
    assertThat(near("0-15")).isEmpty();
  }

  @Test
  void thisProcessRunsSomewhere() throws IOException {
    assertThat(NearCpus.own().isEmpty()).isFalse();
  }
}
