package io.stoker.agent.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.gate.HostLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostMeterTest {
  @TempDir Path proc;

  @Test
  void countsTheCpuSinceTheLookBefore() throws IOException {
    Files.writeString(
        proc.resolve("meminfo"), "MemTotal:  8000 kB\nMemFree: 1 kB\nMemAvailable:   2000 kB\n");
    HostMeter meter = new HostMeter(proc);
    stat("cpu  100 0 100 700 100 0 0 0 50 0");
    assertThat(meter.look()).contains(new HostLoad(20, 8_192_000, 2_048_000));

    stat("cpu  160 10 110 705 105 5 5 0 99 0");
    assertThat(meter.look().orElseThrow().cpuPercent()).isEqualTo(90);
  }

  @Test
  void saysNothingWhereThereIsNothingToRead() {
    assertThat(new HostMeter(proc).look()).isEmpty();
  }

  @Test
  void readsThisHost() {
    HostLoad load = new HostMeter(Path.of("/proc")).look().orElseThrow();
    assertThat(load.cpuPercent()).isBetween(0.0, 100.0);
    assertThat(load.memoryFree()).isBetween(1L, load.memoryTotal());
  }

  private void stat(String line) throws IOException {
    Files.writeString(proc.resolve("stat"), line + "\ncpu0 1 2 3\n");
  }
}
