package io.stoker.agent.nvml;

import static io.stoker.agent.nvml.FakeWorld.GIB;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrencyTest {

  private static final Path LIBRARY = FakeNvmlCompiler.library(Variant.CURRENT);

  @TempDir Path dir;
  FakeWorld world;
  NvmlApi nvml;

  @BeforeEach
  void open() {
    world = FakeWorld.in(dir, LIBRARY);
    IntStream.range(0, 4).forEach(i -> world.addGpu(i, (i + 1) * GIB));
    nvml = ((NvmlStart.Ready) Nvml.open(LIBRARY.toString())).api();
  }

  @Test
  void threadsReadSideBySideAndEachGetsItsOwnDevice() throws Exception {
    List<String> uuids = IntStream.range(0, 4).mapToObj(nvml::uuid).toList();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Callable<Long>> reads =
          IntStream.range(0, 400)
              .<Callable<Long>>mapToObj(i -> () -> nvml.memory(uuids.get(i % 4)).total())
              .toList();
      List<Future<Long>> totals = threads.invokeAll(reads);

      for (int i = 0; i < totals.size(); i++) {
        assertThat(totals.get(i).get()).isEqualTo((i % 4 + 1) * GIB);
      }
    } finally {
      nvml.close();
    }
  }

  @Test
  void closingLetsTheCallsInFlightEndAndNoneIntoAClosedNvml() throws Exception {
    String gpu = nvml.uuid(0);
    world.with("gpu0/temperature", 55).with("delays/nvmlDeviceGetTemperature", 20);
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<String>> answers =
          IntStream.range(0, 16).mapToObj(i -> threads.submit(() -> temperature(gpu))).toList();

      nvml.close();

      for (Future<String> answer : answers) {
        assertThat(answer.get()).isIn("55", "released");
      }
    }
  }

  private String temperature(String gpu) {
    try {
      return String.valueOf(nvml.temperatureCelsius(gpu).orElseThrow());
    } catch (IllegalStateException e) {
      return "released";
    }
  }
}
