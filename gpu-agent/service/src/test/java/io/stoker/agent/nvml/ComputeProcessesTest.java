package io.stoker.agent.nvml;

import static io.stoker.agent.nvml.FakeWorld.GIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.gpu.ComputeProcess;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of processes on a device, whose form differs from driver to driver. */
class ComputeProcessesTest extends OnFakeNvml {
  private final String gpu = gpu(0);

  ComputeProcessesTest() {
    super(Variant.CURRENT, 16 * GIB);
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 24, 32})
  void anIdleDeviceHasNone(int stride) {
    world.with("process_stride", stride);

    assertThat(processes()).isEmpty();
  }

  @ParameterizedTest(name = "{1} processes of {0} bytes an entry")
  @CsvSource({
    "16, 1", "16, 2", "16, 5", "16, 6", "16, 200", "24, 1", "24, 2", "24, 5", "24, 6", "24, 200",
    "32, 1", "32, 2", "32, 5", "32, 6", "32, 200"
  })
  void everyEntryIsReadWhateverItsLength(int stride, int count) {
    world.with("process_stride", stride);
    LongStream.rangeClosed(1, count).forEach(i -> world.withProcess(0, 1000 + i, i * 1_000_003));

    assertThat(processes())
        .containsExactlyInAnyOrderElementsOf(
            LongStream.rangeClosed(1, count)
                .mapToObj(i -> process(1000 + i, OptionalLong.of(i * 1_000_003)))
                .toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 24, 32})
  void memoryThatIsNotAvailableIsNoNumber(int stride) {
    world.with("process_stride", stride);
    world.withProcess(0, 4711, "unknown");

    assertThat(processes()).containsExactly(process(4711, OptionalLong.empty()));
    assertThat(nvml.memory(gpu).used()).isZero();
  }

  @Test
  void theListIsAskedForAgainWhenItGrowsMeanwhile() {
    LongStream.rangeClosed(1, 5).forEach(i -> world.withProcess(0, i, i));
    assertThat(processes()).hasSize(5);

    LongStream.rangeClosed(6, 40).forEach(i -> world.withProcess(0, i, i));
    assertThat(processes()).hasSize(40);
  }

  @Test
  void aListThatIsAlwaysTooLongIsAFailureNotAnEndlessLoop() {
    world.failing("nvmlDeviceGetComputeRunningProcesses_v3", 7);

    assertThatThrownBy(this::processes)
        .isInstanceOf(NvmlException.class)
        .hasMessageContaining("code 7");
  }

  @Test
  void aListThatCannotBeReadIsAFailureNotAnEmptyOne() {
    world.withProcess(0, 4711, GIB);
    world.failing(0, "nvmlDeviceGetComputeRunningProcesses_v3", 999);

    assertThatThrownBy(this::processes).isInstanceOf(NvmlException.class);
  }

  @Test
  void aListThatIsNotSupportedIsAbsent() {
    world.failing("nvmlDeviceGetComputeRunningProcesses_v3", 3);

    assertThat(nvml.computeProcesses(gpu)).isEmpty();
  }

  @Test
  void aProcessThatDiedLeavesTheListAtOnceAndItsMemoryAfterALag() throws IOException {
    world.with("dead_lag_ms", 3_600_000);
    Process job = new ProcessBuilder("sleep", "600").start();
    world.withProcess(0, job.pid(), GIB);
    assertThat(processes()).containsExactly(process(job.pid(), OptionalLong.of(GIB)));

    job.destroyForcibly().onExit().join();

    assertThat(processes()).isEmpty();
    assertThat(nvml.memory(gpu).used()).as("zombie memory").isEqualTo(GIB);
    world.with("dead_lag_ms", 1);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(nvml.memory(gpu).used()).isZero());
  }

  @Test
  void whoDrawsOrComputesThroughMpsIsListedTooAndEachOnce() {
    world.withProcess(0, 1, GIB);
    world.with("gpu0/mps_processes/2", 5).with("gpu0/mps_processes/1", 7);
    world.with("gpu0/graphics_processes/3", 9).with("gpu0/graphics_processes/1", 8);

    assertThat(processes())
        .containsExactlyInAnyOrder(
            process(1, OptionalLong.of(GIB)),
            process(2, OptionalLong.of(5)),
            process(3, OptionalLong.of(9)));
    world.failing("nvmlDeviceGetMPSComputeRunningProcesses_v3", 999);
    world.failing("nvmlDeviceGetGraphicsRunningProcesses_v3", 4);
    assertThat(processes()).containsExactly(process(1, OptionalLong.of(GIB)));
    world.failing(0, "nvmlDeviceGetGraphicsRunningProcesses_v3", 15);
    world.failing("nvmlDeviceGetGraphicsRunningProcesses_v3", 0);
    assertThatThrownBy(this::processes).isInstanceOf(NvmlException.class);
  }

  private List<ComputeProcess> processes() {
    return nvml.computeProcesses(gpu).orElseThrow();
  }

  private static ComputeProcess process(long pid, OptionalLong memory) {
    return new ComputeProcess(pid, memory, OptionalInt.empty(), OptionalInt.empty());
  }
}
