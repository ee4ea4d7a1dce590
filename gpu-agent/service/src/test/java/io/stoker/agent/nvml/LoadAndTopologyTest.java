package io.stoker.agent.nvml;

import static io.stoker.agent.nvml.FakeWorld.GIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.gpu.DeviceLoad;
import io.stoker.agent.gpu.NvLink;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.gpu.PciAddress;
import io.stoker.agent.gpu.ProcessLoad;
import io.stoker.agent.gpu.TopologyLevel;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadAndTopologyTest extends OnFakeNvml {
  private final String gpu0 = gpu(0);
  private final String gpu1 = gpu(1);

  LoadAndTopologyTest() {
    super(Variant.CURRENT, 16 * GIB, 16 * GIB);
  }

  @Test
  void oneLookAnswersAsTheQuestionsDoOneByOne() {
    world.with("gpu1/utilization", "70 30");
    world.with("gpu1/temperature", 61);
    world.with("gpu1/power_mw", 250_000);
    world.with("gpu1/processes/4711", GIB);

    DeviceLoad load = nvml.load(gpu1);

    assertThat(load)
        .isEqualTo(
            new DeviceLoad(
                nvml.computeProcesses(gpu1),
                nvml.memory(gpu1),
                nvml.utilization(gpu1),
                nvml.temperatureCelsius(gpu1),
                nvml.powerMilliwatts(gpu1)));
    assertThat(load.power()).hasValue(250_000);
    assertThat(load.processes().orElseThrow()).hasSize(1);
  }

  @Test
  void theLoadOfProcessesIsToldSinceAMoment() {
    world.with("gpu0/process_utilization/4711", "1000 80 40");
    world.with("gpu0/process_utilization/4712", "2000 10 5");

    assertThat(nvml.processLoads(gpu0, 0).orElseThrow())
        .containsExactlyInAnyOrder(
            new ProcessLoad(4711, 1000, 80, 40), new ProcessLoad(4712, 2000, 10, 5));
    assertThat(nvml.processLoads(gpu0, 1000).orElseThrow())
        .containsExactly(new ProcessLoad(4712, 2000, 10, 5));
    assertThat(nvml.processLoads(gpu0, 2000)).as("none since").contains(List.of());
    assertThat(nvml.processLoads(gpu1, 0)).as("not offered").isEmpty();
  }

  @Test
  void loadThatCannotBeReadIsAFailureNotIdleness() {
    world.failing(0, "nvmlDeviceGetProcessUtilization", 999);

    assertThatThrownBy(() -> nvml.processLoads(gpu0, 0)).isInstanceOf(NvmlException.class);
    world.failing(0, "nvmlDeviceGetProcessUtilization", 7);
    assertThatThrownBy(() -> nvml.processLoads(gpu0, 0)).isInstanceOf(NvmlException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0, BOARD",
    "10, SINGLE_SWITCH",
    "20, MULTIPLE_SWITCHES",
    "30, HOST_BRIDGE",
    "40, NUMA_NODE",
    "50, SYSTEM"
  })
  void nearness(int number, TopologyLevel level) {
    world.with("gpu0/topology/1", number);

    assertThat(nvml.topologyBetween(gpu0, gpu1)).contains(level);
  }

  @Test
  void nearnessThatIsNotKnownIsEmpty() {
    assertThat(nvml.topologyBetween(gpu0, gpu1)).isEmpty();
    world.with("gpu0/topology/1", 77);
    assertThat(nvml.topologyBetween(gpu0, gpu1)).isEmpty();
  }

  @Test
  void activeLinksAreListedWithTheirOtherEnd() {
    world
        .with("gpu0/nvlink/0", "00000000:3b:00.0")
        .with("gpu0/nvlink/1", "down")
        .with("gpu0/nvlink/3", "00000000:af:00.0");

    assertThat(nvml.nvLinks(gpu0))
        .containsExactly(
            new NvLink(0, new PciAddress(0, 0x3b, 0, "00000000:3B:00.0")),
            new NvLink(3, new PciAddress(0, 0xaf, 0, "00000000:AF:00.0")));
    assertThat(nvml.nvLinks(gpu1)).isEmpty();
  }

  @Test
  void linksThatCannotBeReadAreAFailureNotNone() {
    world.failing(0, "nvmlDeviceGetNvLinkState", 999);

    assertThatThrownBy(() -> nvml.nvLinks(gpu0)).isInstanceOf(NvmlException.class);
  }
}
