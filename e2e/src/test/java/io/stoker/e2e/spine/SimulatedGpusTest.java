package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.FreePorts;
import io.stoker.cli.stack.StackOptions;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.CudaJob;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
@BesideTheSharedStack
class SimulatedGpusTest {
  private static final String HOST = "host-1";
  private static final Map<String, Object> SHARED = Map.of("gpus", 1, "sharing", "shared");

  @TempDir Path folder;
  private StokerStack stack;
  private List<String> gpus;
  private int metrics;
  private Path labels;

  @BeforeAll
  void start(@TempDir Path folderOfLabels) throws Exception {
    labels = folderOfLabels;
    metrics = FreePorts.onThisMachine().choose(Map.of(), List.of("metrics")).get("metrics");
    stack =
        StokerStack.start(
            "gpus",
            StackOptions.DEFAULT
                .withGpus(2)
                .withAgentEnvironment(
                    Map.of(
                        "STOKER_AGENT_HEALTH_RECOVERY", "2s",
                        "STOKER_AGENT_GRACE", "2s",
                        "STOKER_AGENT_MEMORY_OUTGROW", "end",
                        "STOKER_AGENT_IDLE_ACTION", "end",
                        "STOKER_AGENT_IDLE_WINDOW", "2s",
                        "STOKER_AGENT_DISK_WORK_QUOTA", "1MB",
                        "STOKER_AGENT_DISK_LOOK_EVERY", "1s",
                        "STOKER_AGENT_METRICS_PORT", Integer.toString(metrics),
                        "STOKER_AGENT_METRICS_HOST", "127.0.0.1",
                        "STOKER_AGENT_JOB_MAPPING_DIR", labels.toString())));
    gpus = IntStream.range(0, 2).mapToObj(this::uuid).toList();
    for (int gpu = 0; gpu < 2; gpu++) {
      busy(gpu, 50); // else jobs that only wait would idle
    }
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
  void theAgentsMetricsAndDcgmExportersFilesShowTheJob() throws Exception {
    Gate gate = Gate.in(folder, "shown");
    stack.post(Posted.script("shown", gate.await()).with("resources", Map.of("gpus", 1)));
    String device = running("shown").devices().get(0);
    Path label = labels.resolve(Integer.toString(gpus.indexOf(device)));

    await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> Files.exists(label) && Files.readString(label).equals("shown\n"));
    assertThat(scrape())
        .contains("stoker_agent_welcomed 1")
        .contains("stoker_agent_attempts{state=\"running\"} ")
        .contains("stoker_agent_device_memory_used_bytes{device=\"" + device + "\"} ")
        .contains("stoker_agent_device_state{device=\"" + device + "\",state=\"OK\"} 1");
    gate.open();
    stack.statuses().awaitEnd("shown");

    await().atMost(60, TimeUnit.SECONDS).until(() -> !Files.exists(label));
    assertThat(scrape())
        .contains("stoker_agent_attempts_ended_total{outcome=\"SUCCEEDED\",category=\"\"} ")
        .containsPattern("stoker_agent_usage_seconds_total\\{of=\"gpu\"} 0*[1-9.]");
  }

  @Test
  void aJobThatWritesMoreThanItMayIsEndedAndSaysSo() throws Exception {
    stack.post(Posted.script("writer", "head -c 2000000 /dev/zero > big; sleep 600"));

    RequestStatus ended = stack.statuses().awaitEnd("writer");

    assertThat(ended.state()).isEqualTo(RequestState.FAILED);
    assertThat(ended.code()).isEqualTo(Code.LIMIT_EXCEEDED);
    assertThat(ended.reason()).contains("it has written", "that a job may write here: ended");
  }

  private void busy(int gpu, int percent) throws IOException {
    Path fresh = Files.writeString(world(gpu).resolve("utilization.new"), percent + " 10\n");
    Files.move(fresh, fresh.resolveSibling("utilization"), StandardCopyOption.ATOMIC_MOVE);
  }

  private String scrape() throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metrics + "/metrics")).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void aJobThatLetsItsGpuIdleIsEndedAndSaysSo() throws Exception {
    stack.post(Posted.script("idler", "sleep 600").with("resources", Map.of("gpus", 1)));
    String device = running("idler").devices().get(0);
    int gpu = gpus.indexOf(device);

    busy(gpu, 90);
    awaitHosts("\"gpuUtilization\":90");
    assertThat(running("idler").code()).as("it works").isNull();
    busy(gpu, 0);

    RequestStatus ended = stack.statuses().awaitEnd("idler");
    busy(gpu, 50);
    assertThat(ended.state()).isEqualTo(RequestState.FAILED);
    assertThat(ended.code()).isEqualTo(Code.LIMIT_EXCEEDED);
    assertThat(ended.reason()).contains("its GPU " + device, "below 5 % for", "ended to free");
    assertThat(stoker("status", "idler")).contains("LIMIT_EXCEEDED");
    stack.post(Posted.script("after-idler", "true").with("resources", Map.of("gpus", 2)));
    assertThat(stack.statuses().awaitEnd("after-idler").state())
        .as("its GPU serves others")
        .isEqualTo(RequestState.SUCCEEDED);
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
    return new CommandLine(folder, stack).output(arguments);
  }
}
