package io.stoker.agent.nvml;

import static io.stoker.agent.nvml.FakeWorld.GIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stoker.agent.gpu.ClocksEventReasons;
import io.stoker.agent.gpu.ComputeCapability;
import io.stoker.agent.gpu.ComputeProcess;
import io.stoker.agent.gpu.EccMode;
import io.stoker.agent.gpu.GpuIdentity;
import io.stoker.agent.gpu.HealthReading;
import io.stoker.agent.gpu.MemoryReading;
import io.stoker.agent.gpu.MigDevice;
import io.stoker.agent.gpu.MigMode;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.gpu.NvmlVersions;
import io.stoker.agent.gpu.PciAddress;
import io.stoker.agent.gpu.RemappedRows;
import io.stoker.agent.gpu.TemperatureLimit;
import io.stoker.agent.gpu.Utilization;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is read of GPUs, through the real binding. */
class NvmlReadingTest extends OnFakeNvml {
  private final String gpu = gpu(0);

  NvmlReadingTest() {
    super(Variant.CURRENT, 16 * GIB);
  }

  @Test
  void versions() {
    world
        .with("driver_version", "575.57.08")
        .with("nvml_version", "12.575.57.08")
        .with("cuda_version", 12090);

    assertThat(nvml.versions())
        .isEqualTo(new NvmlVersions("575.57.08", "12.575.57.08", Optional.of("12.9")));
    assertThat(nvml.missingFunctions())
        .containsExactlyInAnyOrder(
            "nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetCurrentClocksThrottleReasons");
  }

  @Test
  void devicesAreCountedLiveAndNamedByTheirUuid() {
    String second = world.addGpu(1, 8 * GIB);

    assertThat(nvml.count()).isEqualTo(2);
    assertThat(nvml.uuid(0)).isEqualTo(gpu);
    assertThat(nvml.uuid(1)).isEqualTo(second);
    assertThatThrownBy(() -> nvml.uuid(2))
        .isInstanceOf(NvmlException.class)
        .hasMessage("nvmlDeviceGetHandleByIndex_v2 failed for GPU 2 with code 2: Invalid Argument");
  }

  @Test
  void identity() {
    world
        .with("gpu0/minor", 3)
        .with("gpu0/pci", "00000000:3b:00.0")
        .with("gpu0/compute", "9 0")
        .with("gpu0/name", "NVIDIA H200");

    GpuIdentity identity = nvml.identity(gpu);

    assertThat(identity)
        .isEqualTo(
            new GpuIdentity(
                gpu,
                "NVIDIA H200",
                OptionalInt.of(3),
                Optional.of(new PciAddress(0, 0x3b, 0, "00000000:3B:00.0")),
                Optional.of(new ComputeCapability(9, 0))));
    assertThat(identity.pci().orElseThrow().sysfsName()).isEqualTo("0000:3b:00.0");
    assertThat(identity.computeCapability().orElseThrow()).hasToString("9.0");
  }

  @Test
  void whatADeviceDoesNotOfferIsEmpty() {
    assertThat(nvml.identity(gpu))
        .isEqualTo(
            new GpuIdentity(
                gpu, "Fake GPU 0", OptionalInt.empty(), Optional.empty(), Optional.empty()));
    assertThat(nvml.utilization(gpu)).isEmpty();
    assertThat(nvml.powerMilliwatts(gpu)).isEmpty();
    assertThat(nvml.energyMillijoules(gpu)).isEmpty();
    assertThat(nvml.temperatureCelsius(gpu)).isEmpty();
    assertThat(nvml.eccMode(gpu)).isEmpty();
    assertThat(nvml.migMode(gpu)).isEmpty();
    assertThat(nvml.migDevices(gpu)).isEmpty();
  }

  @Test
  void memoryTellsWhatIsReservedApart() {
    world.with("gpu0/memory_used", 2 * GIB).with("gpu0/memory_reserved", GIB);

    assertThat(nvml.memory(gpu))
        .isEqualTo(new MemoryReading(16 * GIB, 13 * GIB, 2 * GIB, OptionalLong.of(GIB)));
  }

  @Test
  void withoutTheSecondMemoryStructureUsedIncludesWhatIsReserved() {
    world.with("gpu0/memory_used", 2 * GIB).with("gpu0/memory_reserved", GIB);
    world.failing("nvmlDeviceGetMemoryInfo_v2", 25);

    assertThat(nvml.memory(gpu))
        .isEqualTo(new MemoryReading(16 * GIB, 13 * GIB, 3 * GIB, OptionalLong.empty()));
  }

  @Test
  void memoryThatCannotBeReadIsAFailureNotZero() {
    world.failing(0, "nvmlDeviceGetMemoryInfo_v2", 999);

    NvmlException e = catchThrowableOfType(NvmlException.class, () -> nvml.memory(gpu));

    assertThat(e.code()).isEqualTo(999);
    assertThat(e.function()).isEqualTo("nvmlDeviceGetMemoryInfo_v2");
    assertThat(e.subject()).isEqualTo(gpu);
    assertThat(e.errorString()).isEqualTo("Unknown Error");
  }

  @Test
  void utilizationPowerEnergyAndHeat() {
    world
        .with("gpu0/utilization", "87 42")
        .with("gpu0/power_mw", 312_500)
        .with("gpu0/energy_mj", 9_000_000_000L)
        .with("gpu0/temperature", 71)
        .with("gpu0/clocks_reasons", "0x48");

    assertThat(nvml.utilization(gpu)).contains(new Utilization(87, 42));
    assertThat(nvml.powerMilliwatts(gpu)).hasValue(312_500);
    assertThat(nvml.energyMillijoules(gpu)).hasValue(9_000_000_000L);
    assertThat(nvml.temperatureCelsius(gpu)).hasValue(71);
    ClocksEventReasons reasons = nvml.clocksEventReasons(gpu).orElseThrow();
    assertThat(reasons.hardwareSlowdown()).isTrue();
    assertThat(reasons.hardwareThermal()).isTrue();
    assertThat(reasons.softwareThermal()).isFalse();
    assertThat(reasons.powerBrake()).isFalse();
  }

  @Test
  void condition() {
    assertThat(nvml.health(gpu))
        .as("a device that tells nothing")
        .isEqualTo(
            new HealthReading(
                OptionalLong.empty(),
                OptionalInt.empty(),
                false,
                Optional.empty(),
                Optional.of(new ClocksEventReasons(0))));
    world
        .with("gpu0/ecc_errors", 1L << 40)
        .with("gpu0/retired_pages", "63 1")
        .with("gpu0/remapped_rows", "1 2 1 0")
        .with("gpu0/clocks_reasons", 0x40);

    assertThat(nvml.health(gpu))
        .isEqualTo(
            new HealthReading(
                OptionalLong.of(1L << 40),
                OptionalInt.of(63),
                true,
                Optional.of(new RemappedRows(1, 2, true, false)),
                Optional.of(new ClocksEventReasons(0x40))));
    world.with("gpu0/retired_pages", "0 0").with("gpu0/remapped_rows", "0 0 0 1");
    assertThat(nvml.health(gpu).retiredPages()).hasValue(0);
    assertThat(nvml.health(gpu).rows().orElseThrow().failed()).isTrue();
  }

  @Test
  void limitsOfHeat() {
    assertThat(nvml.temperatureLimit(gpu, TemperatureLimit.SLOWDOWN)).isEmpty();
    world.with("gpu0/temperature_limits", "95 90");

    assertThat(nvml.temperatureLimit(gpu, TemperatureLimit.SHUTDOWN)).hasValue(95);
    assertThat(nvml.temperatureLimit(gpu, TemperatureLimit.SLOWDOWN)).hasValue(90);
  }

  @Test
  void processorsNearAGpuAreNearItsPartsToo() {
    String part = world.addMig(0, 1, GIB);
    assertThat(nvml.cpuAffinity(gpu)).isEmpty();
    assertThat(nvml.cpuAffinity(part)).isEmpty();
    world.with("gpu0/cpu_affinity", "0xf0 0x3");

    for (String device : List.of(gpu, part)) {
      long[] mask = nvml.cpuAffinity(device).orElseThrow();
      assertThat(mask).startsWith(0xf0, 0x3);
      assertThat(LongStream.of(mask).skip(2)).containsOnly(0L);
    }
  }

  @Test
  void eccMode() {
    world.with("gpu0/ecc", "1 0");

    assertThat(nvml.eccMode(gpu)).contains(new EccMode(true, false));
  }

  @Test
  void migDevicesAreFoundInAnyPlaceAndAskedLikeGpus() {
    String first = world.addMig(0, 0, 4 * GIB);
    String second = world.addMig(0, 2, 2 * GIB);
    world.with("gpu0/mig2/processes/4711", GIB);
    world.with("gpu0/mig2/gpu_instance", 5).with("gpu0/mig2/compute_instance", 0);
    world.with("gpu0/mig2/attributes", "14 1 1 9856");

    assertThat(nvml.migMode(gpu)).contains(new MigMode(true, true));
    assertThat(nvml.migDevices(gpu))
        .containsExactly(
            new MigDevice(first, gpu, "Fake GPU MIG 1g.0"),
            new MigDevice(
                second,
                gpu,
                "Fake GPU MIG 1g.2",
                OptionalInt.of(5),
                Optional.of(new MigDevice.Attributes(14, 1, 1, 9_856))));
    assertThat(nvml.memory(second).free()).isEqualTo(GIB);
    assertThat(nvml.computeProcesses(second).orElseThrow())
        .containsExactly(
            new ComputeProcess(4711, OptionalLong.of(GIB), OptionalInt.of(5), OptionalInt.of(0)));
  }

  @Test
  void migDevicesThatAreNotYetInForceAreNotListed() {
    world.addMig(0, 0, 4 * GIB);
    world.with("gpu0/mig_mode", "0 1");

    assertThat(nvml.migMode(gpu)).contains(new MigMode(false, true));
    assertThat(nvml.migDevices(gpu)).isEmpty();
  }

  @Test
  void aMigDeviceThatCannotBeReadIsAFailureNotAMissingOne() {
    world.addMig(0, 0, 4 * GIB);
    world.failing("nvmlDeviceGetMigDeviceHandleByIndex", 999);

    assertThatThrownBy(() -> nvml.migDevices(gpu)).isInstanceOf(NvmlException.class);
  }

  @Test
  void aLostGpuIsToldAndTheOthersGoOn() {
    String other = world.addGpu(1, 8 * GIB);
    for (String function : List.of("nvmlDeviceGetHandleByUUID", "nvmlDeviceGetHandleByIndex_v2")) {
      world.failing(0, function, 15);
    }

    NvmlException lost = catchThrowableOfType(NvmlException.class, () -> nvml.memory(gpu));

    assertThat(lost.isGpuLost()).isTrue();
    assertThatThrownBy(() -> nvml.uuid(0)).isInstanceOf(NvmlException.class);
    assertThat(nvml.count()).isEqualTo(2);
    assertThat(nvml.memory(other).free()).isEqualTo(8 * GIB);
  }

  @Test
  void aDeviceThatIsNotHereIsNotFound() {
    NvmlException e =
        catchThrowableOfType(NvmlException.class, () -> nvml.memory("GPU-ffffffff-0000"));

    assertThat(e.isNotFound()).isTrue();
    assertThat(e.subject()).isEqualTo("GPU-ffffffff-0000");
  }

  @Test
  void theOrderOfDevicesMayChangeWhileTheirUuidsStay() {
    String other = world.addGpu(1, 8 * GIB);
    world.with("gpu0/uuid", other).with("gpu0/memory_total", 8 * GIB);
    world.with("gpu1/uuid", gpu).with("gpu1/memory_total", 16 * GIB);

    assertThat(nvml.uuid(0)).isEqualTo(other);
    assertThat(nvml.memory(gpu).total()).isEqualTo(16 * GIB);
  }
}
