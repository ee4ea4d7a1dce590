package io.stoker.agent.hardware;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostMemoryTest {
  private static final HostMemory HOST =
      HostMemory.of("MemTotal:  8 kB\nMemFree: 1 kB\nMemAvailable:   5 kB\nBuffers: 3 kB\n");

  @Test
  void isWhatTheKernelSays() {
    assertThat(HOST).isEqualTo(new HostMemory(8_192, 5_120));
  }

  @ParameterizedTest
  @CsvSource({
    // max, current, inactive_file, total, free
    "6000, 1000, 0, 6000, 5000",
    "6000, 0, 0, 6000, 5120",
    "6000, 4000, 1500, 6000, 3500",
    "6000, 7000, 0, 6000, 0",
    "6000, 100, 900, 6000, 5120",
    "20000, 1000, 0, 8192, 5120",
    "3000, 0, 0, 3000, 3000",
  })
  void aCgroupMakesItLess(long max, String current, long cached, long total, long free) {
    String stat = "anon 1\ninactive_file " + cached + "\nworkingset_inactive_file 77\n";
    assertThat(HOST.within(max, current + "\n", stat)).isEqualTo(new HostMemory(total, free));
  }

  @Test
  void everyCgroupAboveMayLimit() {
    Path root = Path.of("/sys/fs/cgroup");
    assertThat(CgroupFolders.of("3:cpu:/a\n0::/a/b\n", root))
        .isEqualTo(List.of(root.resolve("a/b"), root.resolve("a"), root));
    assertThat(CgroupFolders.of("0::/\n", root)).containsExactly(root);
    assertThat(CgroupFolders.of("0::/../..\n", root)).containsExactly(root);
    assertThat(CgroupFolders.of("4:memory:/a\n", root)).isEmpty();
  }
}
