package io.stoker.agent.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The binding's offsets are those that a C compiler gives the same structures. */
class LayoutsTest {

  static Arguments[] layouts() {
    return new Arguments[] {
      Arguments.of("memory_v1", Layouts.MemoryV1.SIZE, 24),
      Arguments.of("memory_v1.total", Layouts.MemoryV1.TOTAL, 0),
      Arguments.of("memory_v1.free", Layouts.MemoryV1.FREE, 8),
      Arguments.of("memory_v1.used", Layouts.MemoryV1.USED, 16),
      Arguments.of("memory_v2", Layouts.MemoryV2.SIZE, 40),
      Arguments.of("memory_v2.version", Layouts.MemoryV2.VERSION, 0),
      Arguments.of("memory_v2.total", Layouts.MemoryV2.TOTAL, 8),
      Arguments.of("memory_v2.reserved", Layouts.MemoryV2.RESERVED, 16),
      Arguments.of("memory_v2.free", Layouts.MemoryV2.FREE, 24),
      Arguments.of("memory_v2.used", Layouts.MemoryV2.USED, 32),
      Arguments.of("process_info", Layouts.ProcessInfo.SIZE, 24),
      Arguments.of("process_info.pid", Layouts.ProcessInfo.PID, 0),
      Arguments.of("process_info.used_memory", Layouts.ProcessInfo.USED_MEMORY, 8),
      Arguments.of("process_info.gpu_instance", Layouts.ProcessInfo.GPU_INSTANCE, 16),
      Arguments.of("process_info.compute_instance", Layouts.ProcessInfo.COMPUTE_INSTANCE, 20),
      Arguments.of("utilization", Layouts.UtilizationRates.SIZE, 8),
      Arguments.of("utilization.gpu", Layouts.UtilizationRates.GPU, 0),
      Arguments.of("utilization.memory", Layouts.UtilizationRates.MEMORY, 4),
      Arguments.of("pci_info", Layouts.PciInfo.SIZE, 68),
      Arguments.of("pci_info.domain", Layouts.PciInfo.DOMAIN, 16),
      Arguments.of("pci_info.bus", Layouts.PciInfo.BUS, 20),
      Arguments.of("pci_info.device", Layouts.PciInfo.DEVICE, 24),
      Arguments.of("pci_info.bus_id", Layouts.PciInfo.BUS_ID, 36),
      Arguments.of("process_sample", Layouts.ProcessSample.SIZE, 32),
      Arguments.of("process_sample.pid", Layouts.ProcessSample.PID, 0),
      Arguments.of("process_sample.timestamp", Layouts.ProcessSample.TIMESTAMP, 8),
      Arguments.of("process_sample.sm", Layouts.ProcessSample.SM, 16),
      Arguments.of("process_sample.memory", Layouts.ProcessSample.MEMORY, 20),
      Arguments.of("device_attributes", Layouts.DeviceAttributes.SIZE, 40),
      Arguments.of(
          "device_attributes.multiprocessors", Layouts.DeviceAttributes.MULTIPROCESSORS, 0),
      Arguments.of("device_attributes.gpu_slices", Layouts.DeviceAttributes.GPU_SLICES, 24),
      Arguments.of("device_attributes.compute_slices", Layouts.DeviceAttributes.COMPUTE_SLICES, 28),
      Arguments.of("device_attributes.memory_mb", Layouts.DeviceAttributes.MEMORY_MB, 32),
      Arguments.of("event_data", Layouts.EventData.SIZE, 32),
      Arguments.of("event_data.device", Layouts.EventData.DEVICE, 0),
      Arguments.of("event_data.type", Layouts.EventData.TYPE, 8),
      Arguments.of("event_data.data", Layouts.EventData.DATA, 16),
    };
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void sizesAndOffsetsAreNvmls(String name, int binding, long documented) {
    assertThat((long) binding).isEqualTo(documented);
    assertThat(compilerSays(name)).isEqualTo(documented);
  }

  @Test
  void theVersionOfTheSecondMemoryStructureHoldsItsSize() {
    assertThat(Layouts.MemoryV2.VERSION_VALUE).isEqualTo(0x02000028);
  }

  @Test
  void theCompilerKnowsNoOtherNames() {
    assertThat(compilerSays("memory_v9")).isEqualTo(-1);
  }

  private static long compilerSays(String name) {
    String library = FakeNvmlCompiler.library(Variant.CURRENT).toString();
    Function layout = NativeLibrary.getInstance(library).getFunction("fake_nvml_layout");
    return layout.invokeLong(new Object[] {name});
  }
}
