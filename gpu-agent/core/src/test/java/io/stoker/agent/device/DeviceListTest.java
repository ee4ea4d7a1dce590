package io.stoker.agent.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceListTest {

  static Arguments[] lists() {
    return new Arguments[] {
      Arguments.of("", List.of()),
      Arguments.of("  \t ", List.of()),
      Arguments.of(",", List.of()),
      Arguments.of(" , ,, ", List.of()),
      Arguments.of("0", List.of("0")),
      Arguments.of("0,1", List.of("0", "1")),
      Arguments.of(" 3 ,1,,  2 ,", List.of("3", "1", "2")),
      Arguments.of("2,0,2,1,0", List.of("2", "0", "1")),
      Arguments.of("10,9", List.of("10", "9")),
      Arguments.of(
          "GPU-1f3a0c4e-9b0d-4c39-8a7e-0c1d2e3f4a5b, 0",
          List.of("GPU-1f3a0c4e-9b0d-4c39-8a7e-0c1d2e3f4a5b", "0")),
      Arguments.of(
          "MIG-0aa1b2c3-1111-5222-8333-944455566677",
          List.of("MIG-0aa1b2c3-1111-5222-8333-944455566677")),
      Arguments.of("MIG-GPU-1f3a0c4e-9b0d/1/0", List.of("MIG-GPU-1f3a0c4e-9b0d/1/0")),
    };
  }

  @ParameterizedTest
  @MethodSource("lists")
  void idsAreTrimmedWithoutRepeatsAndInTheGivenOrder(String text, List<String> ids) {
    assertThat(DeviceList.parse(text).ids()).extracting(DeviceId::text).isEqualTo(ids);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "+1",
        "01",
        "1.0",
        "0x1",
        "cuda:0",
        "all",
        "gpu0",
        "GPU-",
        "GPU-xyz",
        "MIG-",
        "gpu-1f3a",
        "0 1",
        "0;1",
        "1234567890",
        "٣"
      })
  void anythingElseIsRefusedByName(String bad) {
    assertThatThrownBy(() -> DeviceList.parse("0, " + bad + ",2"))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("'" + bad + "'");
  }

  @Test
  void theKindOfAnIdIsKnown() {
    assertThat(DeviceList.parse("7,GPU-ab,MIG-cd").ids())
        .containsExactly(
            new DeviceId.Index("7"), new DeviceId.Gpu("GPU-ab"), new DeviceId.Mig("MIG-cd"));
  }
}
