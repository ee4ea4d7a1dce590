package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.local.Home;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.common.json.Json;
import io.stoker.e2e.stack.CudaJob;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A host with a real GPU: {@code ./mvnw verify -Preal-gpu}. Where there is none it says why it was
 * skipped. docs/gpu.md tells on which hardware it was run.
 */
@Tag("real-gpu")
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(1_200)
class RealGpuTest {
  private static final String LIBRARY = "libnvidia-ml.so.1";
  private static final long BYTES = 2L << 30;

  @TempDir static Path folder;

  private StokerStack stack;
  private CudaJob job;

  private static void needsAGpu() throws Exception {
    List<String> command =
        JavaCommand.jar(List.of(), Home.locate().agentJar(), List.of("gpus", LIBRARY));
    Process asked =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    JsonNode report = Json.read(asked.getInputStream().readAllBytes());
    assertThat(asked.waitFor()).isZero();
    if (!report.path("state").asText().equals("READY") || report.path("gpus").isEmpty()) {
      String why = "no real GPU here: " + report.path("reason").asText("NVML shows none");
      System.out.println("RealGpuTest is skipped: " + why);
      abort(why);
    }
    System.out.println("RealGpuTest runs on " + Json.text(report));
  }

  @BeforeAll
  void start() throws Exception {
    needsAGpu();
    stack =
        StokerStack.start(
            "real-gpu",
            StackOptions.DEFAULT.withAgentEnvironment(
                Map.of("STOKER_AGENT_GRACE", "2s", "STOKER_AGENT_MEMORY_OUTGROW", "end")));
    job = new CudaJob(stack, folder, Map.of());
  }

  @AfterAll
  void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void cudaJobsArePlacedMeasuredAndCleanedUp() throws Exception {
    job.assertMeasured("cuda", BYTES);
    job.assertCleanedUp("cuda-cancelled", BYTES);
  }

  @Test
  void whatAGpuDoesIsMeasured() throws Exception {
    job.assertWorks("cuda-works");
  }

  @Test
  void jobsThatShareAGpuAreMeasuredApart() throws Exception {
    job.assertSharing("cuda-shares", BYTES);
  }

  @Test
  void whatRunsOutOfMemoryIsToldSo() throws Exception {
    job.assertOutOfMemory("cuda-oom", BYTES);
  }

  /**
   * By its own rules such a fault is the job's: here it is to be seen that the driver's is heard.
   */
  @Test
  void aFaultIsHeardFromTheDriver() throws Exception {
    try (StokerStack minding =
        StokerStack.start(
            "real-gpu-faults",
            StackOptions.DEFAULT.withAgentEnvironment(
                Map.of(
                    "STOKER_AGENT_GRACE", "2s",
                    "STOKER_AGENT_HEALTH_IGNORED_XIDS", "0",
                    "STOKER_AGENT_HEALTH_RECOVERY", "2s")))) {
      new CudaJob(minding, folder, Map.of()).assertFaultIsHeard("cuda-faults");
    }
  }
}
