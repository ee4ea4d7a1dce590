package io.stoker.agent.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.stoker.agent.gpu.MemoryReading;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.TemperatureLimit;
import java.time.Duration;
import java.util.BitSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The binding over whatever this machine has. Of a GPU every question has an answer; without one
 * the state is told, and what could not be tested is said to be skipped. {@code ./mvnw verify
 * -Preal-gpu} runs it, see docs/gpu.md.
 */
@Tag("real-gpu")
class InstalledNvmlTest {

  @Test
  void theHostIsEitherReadOrSaidToHaveNoGpu() {
    switch (Nvml.open("libnvidia-ml.so.1")) {
      case NvmlStart.Ready(NvmlApi nvml) -> {
        try (nvml) {
          readEverything(nvml);
        }
      }
      case NvmlStart.NoGpu(String reason) -> skip(reason);
      case NvmlStart.Failed(String reason, var code) -> skip(reason);
    }
  }

  /** A healthy GPU has nothing to tell, and the wait for it ends in time. */
  private static void watch(NvmlApi nvml, String uuid) {
    nvml.watch(Set.of(uuid))
        .ifPresent(
            events -> {
              try (events) {
                events.await(Duration.ofMillis(100));
              }
            });
  }

  private static void skip(String reason) {
    assertThat(reason).isNotBlank();
    System.out.println("InstalledNvmlTest is skipped: no real GPU here: " + reason);
    abort(reason);
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
      for (TemperatureLimit limit : TemperatureLimit.values()) {
        nvml.temperatureLimit(uuid, limit).ifPresent(at -> assertThat(at).isBetween(40, 150));
      }
      nvml.cpuAffinity(uuid)
          .ifPresent(cpus -> assertThat(BitSet.valueOf(cpus).cardinality()).isPositive());
      nvml.clocksEventReasons(uuid);
      nvml.eccMode(uuid);
      nvml.processLoads(uuid, 0);
      nvml.nvLinks(uuid);
      assertThat(nvml.health(uuid)).isNotNull();
      assertThat(nvml.migDevices(uuid)).allSatisfy(m -> assertThat(m.uuid()).startsWith("MIG-"));
      watch(nvml, uuid);
    }
  }
}
