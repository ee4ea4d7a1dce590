package io.stoker.agent.hardware;

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
  void theTightestOfItsCgroupsCounts() throws IOException {
    Files.writeString(proc.resolve("meminfo"), "MemTotal: 8000000 kB\nMemAvailable: 6000000 kB\n");
    stat("cpu  100 0 100 700 100 0 0 0 50 0");
    Files.createDirectories(proc.resolve("self"));
    Files.writeString(proc.resolve("self/cgroup"), "1:name=systemd:/x\n0::/slice/agent\n");
    Path root = proc.resolve("cgroup");
    cgroup(root.resolve("slice/agent"), "max", "1000", "anon 5\n");
    cgroup(root.resolve("slice"), "4000000", "3000000", "anon 5\ninactive_file 500000\nfile 9\n");
    HostMeter meter = new HostMeter(proc, root);

    assertThat(meter.memory()).contains(new HostMemory(4_000_000, 1_500_000));
    assertThat(meter.look().orElseThrow().memoryFree()).isEqualTo(1_500_000);
  }

  private static void cgroup(Path folder, String max, String current, String stat)
      throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("memory.max"), max + "\n");
    Files.writeString(folder.resolve("memory.current"), current + "\n");
    Files.writeString(folder.resolve("memory.stat"), stat);
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
