package io.stoker.agent.nvml;

import static io.stoker.agent.nvml.FakeWorld.GIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs other than these tests rely on when they use the stand-in. */
class FakeNvmlTest {

  private static final Path LIBRARY = FakeNvmlCompiler.library(Variant.CURRENT);

  @TempDir Path dir;

  @Test
  void theEnvironmentNamesTheStateFolder() throws IOException, InterruptedException {
    FakeWorld world = FakeWorld.in(dir, LIBRARY);
    String uuid = world.addGpu(0, 16 * GIB);

    assertThat(probe(dir.toString())).isEqualTo("ready " + uuid);
    assertThat(probe("")).startsWith("no GPU: No NVIDIA driver is running here");
  }

  @Test
  void energyGrowsWithPower() {
    FakeWorld world = FakeWorld.in(dir, LIBRARY);
    String gpu = world.addGpu(0, 16 * GIB);
    world.with("gpu0/power_mw", 400_000);
    try (NvmlApi nvml = ((NvmlStart.Ready) Nvml.open(LIBRARY.toString())).api()) {
      long first = nvml.energyMillijoules(gpu).orElseThrow();

      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> nvml.energyMillijoules(gpu).orElseThrow() > first);
    }
  }

  /** Opens NVML in a JVM of its own, since a JVM cannot change its own environment. */
  private static String probe(String stateDir) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
            "-cp",
            System.getProperty("java.class.path"),
            Probe.class.getName(),
            LIBRARY.toString());
    builder.environment().put("STOKER_FAKE_NVML", stateDir);
    Process jvm = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (var output = jvm.inputReader()) {
      String line = output.readLine();
      assertThat(jvm.waitFor()).isZero();
      return line;
    }
  }

  static final class Probe {

    private Probe() {}

    public static void main(String[] args) {
      String answer =
          switch (Nvml.open(args[0])) {
            case NvmlStart.Ready(NvmlApi nvml) -> "ready " + nvml.uuid(0);
            case NvmlStart.NoGpu(String reason) -> "no GPU: " + reason;
            case NvmlStart.Failed(String reason, var code) -> "failed: " + reason;
          };
      System.out.println(answer);
    }
  }
}
