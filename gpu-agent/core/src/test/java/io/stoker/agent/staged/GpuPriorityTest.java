package io.stoker.agent.staged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuPriorityTest {
  private static final Map<String, Long> LEFT = Map.of("0", 1L, "1", 9L, "2", 5L);

  private static Device device(String id, long memory, String capability) {
    return new Device(id, "u" + id, "GPU", memory, DeviceType.GPU, Optional.ofNullable(capability));
  }

  @ParameterizedTest
  @CsvSource({
    "pci, 012",
    "-pci, 210",
    "memory, 201",
    "-memory, 102",
    "remaining, 120",
    "-remaining, 021",
    "performance, 102",
    "-performance, 201",
  })
  void orders(String text, String order) {
    List<Device> devices =
        List.of(device("0", 20, "8.6"), device("1", 10, "10.0"), device("2", 30, null));

    assertThat(
            GpuPriority.parse(text).order(devices, one -> LEFT.get(one.id())).stream()
                .map(Device::id)
                .reduce("", String::concat))
        .isEqualTo(order);
  }

  @Test
  void anythingElseIsRefused() {
    assertThatThrownBy(() -> GpuPriority.parse("fastest"))
        .hasMessageContaining("gpu-priority")
        .hasMessageContaining("fastest")
        .hasMessageContaining("performance");
  }
}
