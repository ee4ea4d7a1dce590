package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.StackOptions;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.CudaJob;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A host with two simulated GPUs, by the real agent, binding and all. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
class SimulatedGpusTest {
  private static final String HOST = "host-1";
  private static final Map<String, Object> SHARED = Map.of("gpus", 1, "sharing", "shared");

  @TempDir Path folder;
  private StokerStack stack;
  private List<String> gpus;

  @BeforeAll
  void start() throws Exception {
    stack =
        StokerStack.start(
            "gpus",
            StackOptions.DEFAULT
                .withGpus(2)
                .withAgentEnvironment(
                    Map.of(
                        "STOKER_AGENT_HEALTH_RECOVERY", "2s",
                        "STOKER_AGENT_GRACE", "2s",
                        "STOKER_AGENT_MEMORY_OUTGROW", "end")));
    gpus = IntStream.range(0, 2).mapToObj(this::uuid).toList();
  }

  @AfterAll
  void stop() throws IOException {
    stack.close();
  }

  @Test
  void jobsShareAGpuAsItsMemoryAllowsAndThePolicyChoosesIt() throws Exception {
    awaitHost(HOST);
    stoker("policy", HOST, "packed");
    awaitHost("packed");
    stack.post(sharing("share-a"), sharing("share-b"));
    RequestStatus first = running("share-a");
    RequestStatus second = running("share-b");

    assertThat(first.devices()).hasSize(1).isEqualTo(second.devices());
    stack.post(
        Posted.script("share-alone", "echo \"#stoker:result \\\"$CUDA_VISIBLE_DEVICES\\\"\"")
            .with("resources", Map.of("gpus", 1)));
    RequestStatus alone = stack.statuses().awaitEnd("share-alone");
    assertThat(alone.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(gpus).contains(alone.result().asText());
    assertThat(alone.result().asText()).isNotEqualTo(first.devices().get(0));
    stoker("cancel", "share-a", "share-b");
    stack.statuses().awaitEnd("share-a");
    stack.statuses().awaitEnd("share-b");
    stoker("policy", HOST, "--configured");
    awaitHost("first-fit");
  }

  @Test
  void whatAJobTookIsMeasuredAndShown() throws Exception {
    Gate gate = Gate.in(folder, "measured");
    String uses =
        "case $CUDA_VISIBLE_DEVICES in %s) gpu=%s;; *) gpu=%s;; esac; "
            .formatted(gpus.get(0), world(0), world(1));
    String memory = "mkdir -p $gpu/processes; echo 3221225472 > $gpu/processes/$$; ";
    stack.post(
        Posted.script("measured", uses + memory + gate.await())
            .with("resources", Map.of("gpus", 1)));
    running("measured");
    awaitHosts("\"memoryUsed\":3221225472");
    gate.open();

    Usage usage = stack.statuses().awaitEnd("measured").usage();
    assertThat(usage.peakGpuMemory()).isEqualTo(3L << 30);
    assertThat(usage.peakMemory()).isPositive();
    assertThat(usage.gpuMs()).isEqualTo(usage.wallMs());
    assertThat(stoker("status", "measured")).contains("GPU memory 3 GiB");
    assertThat(stoker("status", "--json", "measured")).contains("\"peakGpuMemory\":3221225472");
  }

  /**
   * Nobody says how much memory these jobs take: it is what their processes are measured to take.
   * One of them takes more than those before it did, and harms none of its neighbours.
   */
  @Test
  void whatDeclaresNothingIsPackedByWhatWasMeasuredAndAloneAfterItGrew() throws Exception {
    Path growth = folder.resolve("growth");
    awaitGivenBack(); // what a test before this one took must not be taken for this one's
    Gate first = Gate.in(folder, "learn-1");
    stack.post(learning("learn-first", first, growth));
    running("learn-first");
    awaitHosts("\"memoryUsed\":3221225472");
    assertThat(stoker("explain", "learn-first")).contains("nothing like it was measured yet");
    first.open();
    assertThat(stack.statuses().awaitEnd("learn-first").state()).isEqualTo(RequestState.SUCCEEDED);

    Gate others = Gate.in(folder, "learn-2");
    List<String> ids = IntStream.range(0, 7).mapToObj(i -> "learn-" + i).toList();
    ids.forEach(id -> stack.post(learning(id, others, growth).with("dedup", "always")));
    stack.post(learning("learn-grows", others, growth).with("env", Map.of("GROWS", "yes")));
    List<String> devices =
        Stream.concat(ids.stream(), Stream.of("learn-grows"))
            .map(id -> running(id).devices().get(0))
            .toList();
    stack.post(learning("learn-waits", others, growth).with("dedup", "always"));
    stack.statuses().await("learn-waits", RequestState.QUEUED);
    for (String gpu : gpus) {
      assertThat(devices).filteredOn(gpu::equals).as("four of 3.3 GiB on 16 GiB").hasSize(4);
    }
    String why = stoker("explain", "learn-waits");
    assertThat(why).contains("expected to take 3.3 GiB on each GPU", "BUSY", "of 3.3 GiB on each");
    assertThat(stoker("estimates", "--of", "gpu", "1 GPU")).contains("3.3 GiB", "1 GPU(s)");

    Files.createFile(growth);
    RequestStatus outgrown =
        stack
            .statuses()
            .await(
                "learn-grows",
                status ->
                    status.state() == RequestState.QUEUED
                        && String.valueOf(status.reason()).contains("GPU_OOM"),
                "is ended and tried again");
    assertThat(outgrown.reason())
        .contains("takes 6 GiB of GPU", "was promised 3.3 GiB", "after the GPU_OOM of attempt");
    assertThat(stoker("explain", "learn-grows")).contains("alone, the largest first");
    others.open();
    for (String id : ids) {
      // An agent may have returned it at first, while the memory of the one before was still in
      // use.
      assertThat(stack.statuses().awaitEnd(id).state()).isEqualTo(RequestState.SUCCEEDED);
    }
    assertThat(stack.statuses().awaitEnd("learn-waits").state()).isEqualTo(RequestState.SUCCEEDED);
    RequestStatus end = stack.statuses().awaitEnd("learn-grows");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).as("once").isEqualTo(outgrown.attempt() + 1);
  }

  /**
   * Shares, says nothing of its memory, and takes 3 GiB until the gate opens; where its environment
   * says so, it grows to 6 GiB as soon as it may.
   */
  private Posted learning(String id, Gate gate, Path growth) {
    String uses =
        "case $CUDA_VISIBLE_DEVICES in %s) gpu=%s;; *) gpu=%s;; esac; "
            .formatted(gpus.get(0), world(0), world(1));
    String memory = "mkdir -p $gpu/processes; echo 3221225472 > $gpu/processes/$$; ";
    String grows =
        "if [ \"$GROWS\" ]; then until [ -e '%s' ]; do sleep 0.05; done; ".formatted(growth)
            + "echo 6442450944 > $gpu/processes/$$; fi; ";
    return Posted.script(id, uses + memory + grows + gate.await()).with("resources", SHARED);
  }

  @Test
  void aJobOnAGpuThatFailsHasADeviceFaultAndTheGpuServesAgain() throws Exception {
    stack.post(
        Posted.script("fault", "sleep 600")
            .with("resources", Map.of("gpus", 1))
            .with("retry", Map.of("deviceFault", 0)));
    String device = running("fault").devices().get(0);

    Files.writeString(world(gpus.indexOf(device)).resolve("xids"), "79\n");

    RequestStatus end = stack.statuses().awaitEnd("fault");
    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.DEVICE_FAULT);
    assertThat(end.reason()).contains("Xid 79");
    stack.post(Posted.script("both", "true").with("resources", Map.of("gpus", 2)));
    RequestStatus both = stack.statuses().awaitEnd("both");
    assertThat(both.state()).as("nothing was restarted").isEqualTo(RequestState.SUCCEEDED);
    assertThat(both.devices()).containsExactlyInAnyOrderElementsOf(gpus);
  }

  @Test
  void aRetryGoesToAnotherGpuOfTheSameHost() throws Exception {
    Gate gate = Gate.in(folder, "elsewhere");
    stack.post(
        Posted.script("elsewhere", gate.await() + "[ $STOKER_ATTEMPT != 1 ]")
            .with("resources", Map.of("gpus", 1))
            .with("retry", Map.of("app", 1)));
    String first = running("elsewhere").devices().get(0);
    gate.open();

    RequestStatus end = stack.statuses().awaitEnd("elsewhere");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(2);
    assertThat(end.devices()).hasSize(1).doesNotContain(first);
  }

  /** The same as on a real GPU, see {@link RealGpuTest}. */
  @Test
  void aCudaJobIsPlacedMeasuredAndCleanedUp() throws Exception {
    Path gpus = stack.data().simulatedGpus(HOST);
    CudaJob job = new CudaJob(stack, folder, CudaJob.standIn(folder, gpus));

    job.assertMeasured("cuda", 2L << 30);
    job.assertCleanedUp("cuda-cancelled", 2L << 30);
  }

  private static Posted sharing(String id) {
    return Posted.script(id, "sleep 600 # " + id)
        .with("resources", Map.of("gpus", 1, "gpuMemory", "7GiB", "sharing", "shared"));
  }

  private RequestStatus running(String id) {
    return stack.statuses().await(id, RequestState.RUNNING);
  }

  private Path world(int gpu) {
    return stack.data().simulatedGpus(HOST).resolve("gpu" + gpu);
  }

  private String uuid(int gpu) {
    try {
      return Files.readString(world(gpu).resolve("uuid")).strip();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void awaitHost(String word) {
    awaitHosts("\"" + word + "\"");
  }

  private void awaitHosts(String text) {
    await().atMost(StatusLog.PATIENCE).until(() -> stoker("hosts", "--json").contains(text));
  }

  private void awaitGivenBack() {
    await()
        .atMost(StatusLog.PATIENCE)
        .until(() -> !stoker("hosts", "--json").contains("\"memoryUsed\":3221225472"));
  }

  private String stoker(String... arguments) throws Exception {
    CommandLine line = new CommandLine(folder, stack);
    Process process = line.start(arguments);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(line.err())).isZero();
    return Files.readString(line.out());
  }
}
