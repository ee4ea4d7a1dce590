package io.stoker.agent.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * The binding over whatever this machine has: a GPU, a driver without one, or nothing. Whichever it
 * is, the state is told and every question has an answer.
 */
class InstalledNvmlTest {

  @Test
  void theHostIsEitherReadOrSaidToHaveNoGpu() {
    switch (Nvml.open(Nvml.DEFAULT_LIBRARY)) {
      case NvmlStart.Ready(NvmlApi nvml) -> {
        try (nvml) {
          readEverything(nvml);
        }
      }
      case NvmlStart.NoGpu(String reason) -> assertThat(reason).isNotBlank();
      case NvmlStart.Failed(String reason, var code) -> assertThat(reason).isNotBlank();
    }
  }

  private static void readEverything(NvmlApi nvml) {
    assertThat(nvml.versions().driver()).matches("\\d+\\.\\d+.*");
    assertThat(nvml.versions().nvml()).isNotBlank();
    for (int index = 0; index < nvml.count(); index++) {
      String uuid = nvml.uuid(index);
      assertThat(uuid).startsWith("GPU-");
      assertThat(nvml.identity(uuid).name()).isNotBlank();
      assertThat(nvml.identity(uuid).pci().orElseThrow().sysfsName()).matches("[0-9a-f:.]+");
      MemoryReading memory = nvml.memory(uuid);
      assertThat(memory.total()).isPositive();
      assertThat(memory.used() + memory.free() + memory.reserved().orElse(0))
          .isEqualTo(memory.total());
      nvml.computeProcesses(uuid)
          .ifPresent(list -> assertThat(list).allSatisfy(p -> assertThat(p.pid()).isPositive()));
      nvml.utilization(uuid).ifPresent(load -> assertThat(load.gpuPercent()).isBetween(0, 100));
      nvml.powerMilliwatts(uuid).ifPresent(power -> assertThat(power).isPositive());
      nvml.energyMillijoules(uuid).ifPresent(energy -> assertThat(energy).isNotNegative());
      nvml.temperatureCelsius(uuid).ifPresent(heat -> assertThat(heat).isBetween(0, 120));
      nvml.clocksEventReasons(uuid);
      nvml.eccMode(uuid);
      nvml.processLoads(uuid, 0);
      nvml.nvLinks(uuid);
      assertThat(nvml.migDevices(uuid)).allSatisfy(m -> assertThat(m.uuid()).startsWith("MIG-"));
    }
  }
}
