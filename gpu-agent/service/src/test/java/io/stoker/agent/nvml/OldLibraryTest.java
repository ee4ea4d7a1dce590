package io.stoker.agent.nvml;

import static io.stoker.agent.nvml.FakeWorld.GIB;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.gpu.ClocksEventReasons;
import io.stoker.agent.gpu.ComputeProcess;
import io.stoker.agent.gpu.MemoryReading;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** With an older driver, each missing function is a missing capability and nothing more. */
class OldLibraryTest extends OnFakeNvml {
  private final String gpu = gpu(0);

  OldLibraryTest() {
    super(Variant.OLD, 16 * GIB);
  }

  @Test
  void theMissingFunctionsAreNamed() {
    assertThat(nvml.missingFunctions())
        .containsExactlyInAnyOrder(
            "nvmlDeviceGetMemoryInfo_v2",
            "nvmlDeviceGetComputeRunningProcesses_v3",
            "nvmlDeviceGetCurrentClocksEventReasons",
            "nvmlDeviceGetRemappedRows",
            "nvmlDeviceGetMigMode",
            "nvmlDeviceGetMaxMigDeviceCount",
            "nvmlDeviceGetMigDeviceHandleByIndex",
            "nvmlDeviceGetGraphicsRunningProcesses_v3",
            "nvmlDeviceGetMPSComputeRunningProcesses_v3",
            "nvmlDeviceGetGpuInstanceId",
            "nvmlDeviceGetDeviceHandleFromMigDeviceHandle",
            "nvmlDeviceGetAttributes_v2",
            "nvmlEventSetCreate",
            "nvmlDeviceRegisterEvents",
            "nvmlEventSetWait_v2",
            "nvmlEventSetFree");
  }

  @Test
  void memoryComesFromTheFirstStructure() {
    world.with("gpu0/memory_reserved", GIB);

    assertThat(nvml.memory(gpu))
        .isEqualTo(new MemoryReading(16 * GIB, 15 * GIB, GIB, OptionalLong.empty()));
  }

  @Test
  void processesAndClockReasonsComeFromTheirOlderFunctions() {
    world.withProcess(0, 4711, GIB).with("gpu0/clocks_reasons", 0x80);

    assertThat(nvml.computeProcesses(gpu).orElseThrow())
        .containsExactly(
            new ComputeProcess(
                4711, OptionalLong.of(GIB), OptionalInt.empty(), OptionalInt.empty()));
    assertThat(nvml.clocksEventReasons(gpu)).contains(new ClocksEventReasons(0x80));
  }

  @Test
  void troublesAreNotTold() {
    assertThat(nvml.watch(List.of(gpu))).isEmpty();
  }

  @Test
  void thereIsNoMig() {
    assertThat(nvml.migMode(gpu)).isEmpty();
    assertThat(nvml.migDevices(gpu)).isEmpty();
  }
}
