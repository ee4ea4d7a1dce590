package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.CudaJob;
import io.stoker.e2e.stack.EventLog;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A host with two simulated GPUs, by the real agent, binding and all. */
@TestInstance(Lifecycle.PER_CLASS)
@ResourceLock("simulated GPUs") // its tests would else run at once, on the same two GPUs
@Timeout(1_200)
@BesideTheSharedStack
@Order(5)
class SimulatedGpusTest {
  private static final Map<String, Object> SHARED = Map.of("gpus", 1, "sharing", "shared");

  @TempDir Path folder;
  private GpuHost host;
  private StokerStack stack;
  private List<String> gpus;

  @BeforeAll
  void start(@TempDir Path labels) throws Exception {
    host = GpuHost.start(labels);
    stack = host.stack();
    gpus = host.uuids();
  }

  @AfterAll
  void stop() throws IOException {
    host.close();
  }

  /** Who fails leaves the GPUs to the next test as they were. */
  @AfterEach
  void nothingIsLeftBehind() throws IOException {
    stack.endWhatIsLeft();
    for (String gpu : gpus) {
      host.busy(gpus.indexOf(gpu), GpuHost.BUSY);
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  /** Does something while the host chooses by another policy than its own. */
  private void underPolicy(Work work, String policy, String... parameters) throws Exception {
    awaitHost(GpuHost.NAME);
    try {
      List<String> command = new ArrayList<>(List.of("policy", GpuHost.NAME, policy));
      command.addAll(List.of(parameters));
      stoker(command.toArray(String[]::new));
      awaitHost(policy);
      work.run();
    } finally {
      stoker("policy", GpuHost.NAME, "--configured");
    }
    awaitHost("first-fit");
  }

  @Test
  void jobsShareAGpuAsItsMemoryAllowsAndThePolicyChoosesIt() throws Exception {
    underPolicy(this::sharesPacked, "packed");
  }

  private void sharesPacked() throws Exception {
    stack.post(sharing("share-a"), sharing("share-b"));
    RequestStatus first = host.running("share-a");
    RequestStatus second = host.running("share-b");

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
  }

  /** Nothing changes on the host meanwhile, for which it would be asked again, too. */
  @Test
  void whatAutoWithholds_isAskedForAgainWhenItsClockIsUp() throws Exception {
    underPolicy(this::sharesByAuto, "auto", "-p", "put-interval=10s", "-p", "available-interval=0");
  }

  private void sharesByAuto() throws Exception {
    List<String> ids = List.of("auto-1", "auto-2", "auto-3");
    stack.post(sharing("auto-1"), sharing("auto-2"), sharing("auto-3"));
    List<String> jobs = ids.stream().map(id -> host.running(id).job()).toList();

    try (EventLog events = stack.events()) {
      await()
          .atMost(StatusLog.PATIENCE)
          .until(() -> jobs.stream().anyMatch(job -> !events.returned(job).isEmpty()));
      assertThat(jobs.stream().flatMap(job -> events.returned(job).stream()).toList())
          .as("one of three on two GPUs: asked too soon, and when it is time, or a moment before")
          .hasSizeLessThanOrEqualTo(3)
          .allSatisfy(event -> assertThat(event.againMs()).isBetween(0L, 10_000L));
    }
    assertThat(ids).allMatch(id -> !stack.statuses().newest().get(id).state().terminal());
    stoker("cancel", "auto-1", "auto-2", "auto-3");
    for (String id : ids) {
      stack.statuses().awaitEnd(id);
    }
  }

  @Test
  void whatAJobTookIsMeasuredAndShown() throws Exception {
    awaitGivenBack(); // what a test before this one took must not be taken for this one's
    Gate gate = Gate.in(folder, "measured");
    stack.post(
        Posted.script("measured", host.takes(3L << 30) + gate.await())
            .with("resources", Map.of("gpus", 1)));
    host.running("measured");
    awaitHosts("\"memoryUsed\":3221225472");
    gate.open();

    Usage usage = stack.statuses().awaitEnd("measured").usage();
    assertThat(usage.peakGpuMemory()).isEqualTo(3L << 30);
    assertThat(usage.peakMemory()).isPositive();
    assertThat(usage.gpuMs()).isEqualTo(usage.wallMs());
    awaitSaid("GPU memory 3 GiB", "status", "measured");
    awaitSaid("\"peakGpuMemory\":3221225472", "status", "--json", "measured");
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
    host.running("learn-first");
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
            .map(id -> host.running(id).devices().get(0))
            .toList();
    stack.post(learning("learn-waits", others, growth).with("dedup", "always"));
    stack.statuses().await("learn-waits", RequestState.QUEUED);
    for (String gpu : gpus) {
      assertThat(devices).filteredOn(gpu::equals).as("four of 3.3 GiB on 16 GiB").hasSize(4);
    }
    await("the reason why it waits")
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(stoker("explain", "learn-waits"))
                    .contains(
                        "expected to take 3.3 GiB on each GPU", "BUSY", "of 3.3 GiB on each"));
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
    awaitSaid("alone, the largest first", "explain", "learn-grows");
    others.open();
    for (String id : ids) {
      // An agent may have returned it at first, while the memory of the one before was still in
      // use.
      assertThat(stack.statuses().awaitEnd(id).state()).isEqualTo(RequestState.SUCCEEDED);
    }
    assertThat(stack.statuses().awaitEnd("learn-waits").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().awaitEnd("learn-grows").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().seen("learn-grows"))
        .extracting(status -> String.valueOf(status.reason()))
        .filteredOn(reason -> reason.contains("after the GPU_OOM"))
        .as("once; that an agent returned it is no failure")
        .allMatch(reason -> reason.contains("of attempt " + outgrown.attempt()));
  }

  /**
   * Shares, says nothing of its memory, and takes 3 GiB until the gate opens; where its environment
   * says so, it grows to 6 GiB as soon as it may.
   */
  private Posted learning(String id, Gate gate, Path growth) {
    String grows =
        "if [ \"$GROWS\" ]; then until [ -e '%s' ]; do sleep 0.05; done; ".formatted(growth)
            + "echo 6442450944 > $gpu/processes/$$; fi; ";
    return Posted.script(id, host.takes(3L << 30) + grows + gate.await()).with("resources", SHARED);
  }

  @Test
  void theAgentsMetricsAndDcgmExportersFilesShowTheJob() throws Exception {
    Gate gate = Gate.in(folder, "shown");
    stack.post(Posted.script("shown", gate.await()).with("resources", Map.of("gpus", 1)));
    String device = host.running("shown").devices().get(0);
    Path label = host.label(device);

    await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> Files.exists(label) && Files.readString(label).equals("shown\n"));
    await("its device to have been measured")
        .atMost(60, TimeUnit.SECONDS)
        .untilAsserted(
            () ->
                assertThat(host.scrape())
                    .contains("stoker_agent_welcomed 1")
                    .contains("stoker_agent_attempts{state=\"running\"} ")
                    .contains("stoker_agent_device_memory_used_bytes{device=\"" + device + "\"} ")
                    .contains(
                        "stoker_agent_device_state{device=\"" + device + "\",state=\"OK\"} 1"));
    gate.open();
    stack.statuses().awaitEnd("shown");

    await().atMost(60, TimeUnit.SECONDS).until(() -> !Files.exists(label));
    await("its end to be counted")
        .atMost(60, TimeUnit.SECONDS)
        .untilAsserted(
            () ->
                assertThat(host.scrape())
                    .contains(
                        "stoker_agent_attempts_ended_total{outcome=\"SUCCEEDED\",category=\"\"} ")
                    .containsPattern("stoker_agent_usage_seconds_total\\{of=\"gpu\"} 0*[1-9.]"));
  }

  @Test
  void aJobThatWritesMoreThanItMayIsEndedAndSaysSo() throws Exception {
    stack.post(Posted.script("writer", "head -c 2000000 /dev/zero > big; sleep 600"));

    RequestStatus ended = stack.statuses().awaitEnd("writer");

    assertThat(ended.state()).isEqualTo(RequestState.FAILED);
    assertThat(ended.code()).isEqualTo(Code.LIMIT_EXCEEDED);
    assertThat(ended.reason()).contains("it has written", "that a job may write here: ended");
  }

  @Test
  void aJobThatLetsItsGpuIdleIsEndedAndSaysSo() throws Exception {
    stack.post(Posted.script("idler", "sleep 600").with("resources", Map.of("gpus", 1)));
    String device = host.running("idler").devices().get(0);
    int gpu = gpus.indexOf(device);

    host.busy(gpu, 90);
    awaitHosts("\"gpuUtilization\":90");
    assertThat(host.running("idler").code()).as("it works").isNull();
    host.busy(gpu, 0);

    RequestStatus ended = stack.statuses().awaitEnd("idler");
    host.busy(gpu, GpuHost.BUSY);
    assertThat(ended.state()).isEqualTo(RequestState.FAILED);
    assertThat(ended.code()).isEqualTo(Code.LIMIT_EXCEEDED);
    assertThat(ended.reason()).contains("its GPU " + device, "below 5 % for", "ended to free");
    awaitSaid("LIMIT_EXCEEDED", "status", "idler");
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
    String device = host.running("fault").devices().get(0);

    Files.writeString(host.world(device).resolve("xids"), "79\n");

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
    // An attempt that an agent returned has a number, too, and never began.
    String failsOnce =
        "[ -e '%1$s' ] || { touch '%1$s'; exit 1; }".formatted(folder.resolve("failed"));
    stack.post(
        Posted.script("elsewhere", gate.await() + failsOnce)
            .with("resources", Map.of("gpus", 1))
            .with("retry", Map.of("app", 1)));
    RequestStatus first = host.running("elsewhere");
    gate.open();

    RequestStatus end = stack.statuses().awaitEnd("elsewhere");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isGreaterThan(first.attempt());
    assertThat(end.devices()).hasSize(1).doesNotContain(first.devices().get(0));
  }

  @Test
  void aPinnedDeviceIsWaitedForThoughAnotherIsFree() throws Exception {
    Gate gate = Gate.in(folder, "pinned");
    String pinned = gpus.get(1);
    stack.post(
        Posted.script("pinned", gate.await())
            .with("resources", Map.of("gpus", 1, "device", pinned)));
    assertThat(host.running("pinned").devices()).containsExactly(pinned);
    stack.post(
        Posted.script("pinned-too", "exit 0 # pinned-too")
            .with("resources", Map.of("gpus", 1, "device", "cuda:1")),
        Posted.script("pinned-nowhere", "exit 0 # pinned-nowhere")
            .with("resources", Map.of("gpus", 1, "device", "cuda:7")),
        Posted.script("pinned-not", "exit 0 # pinned-not").with("resources", Map.of("gpus", 1)));

    RequestStatus other = stack.statuses().awaitEnd("pinned-not");
    assertThat(other.state()).as(other.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(other.devices()).containsExactly(gpus.get(0));
    await("it to be said that nobody has it")
        .atMost(StatusLog.PATIENCE)
        .until(() -> stoker("explain", "pinned-nowhere").contains("cuda:7"));
    stack.statuses().await("pinned-too", RequestState.QUEUED);
    assertThat(stack.statuses().newest().get("pinned-too").state()).isNotIn(StatusLog.ENDS);
    gate.open();
    RequestStatus end = stack.statuses().awaitEnd("pinned-too");
    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.devices()).containsExactly(pinned);
    stoker("cancel", "pinned-nowhere");
    stack.statuses().awaitEnd("pinned-nowhere");
  }

  /** It says that it takes half of what it takes. */
  @Test
  void aJobThatOutgrowsTheHostsMemoryThatItWasPromisedIsPromisedMoreTheNextTime() throws Exception {
    Gate gate = Gate.in(folder, "outgrows");
    String takes = "(head -c 100000000 /dev/zero; " + gate.await() + ") | tail > /dev/null";
    stack.post(Posted.script("outgrows", takes).with("resources", Map.of("memory", "48MiB")));
    RequestStatus outgrown =
        stack
            .statuses()
            .await(
                "outgrows",
                status ->
                    status.state() == RequestState.QUEUED
                        && String.valueOf(status.reason()).contains("HOST_OOM"),
                "is ended and tried again");

    assertThat(outgrown.reason()).contains("was promised 48 MiB", "after the HOST_OOM of attempt");
    stack
        .statuses()
        .await(
            "outgrows",
            status ->
                status.state() == RequestState.RUNNING && status.attempt() > outgrown.attempt(),
            "running again");
    assertThat(stoker("explain", "outgrows")).contains("since it ran out of host memory");
    gate.open();
    RequestStatus end = stack.statuses().awaitEnd("outgrows");
    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isGreaterThan(outgrown.attempt());
  }

  /** The same as on a real GPU, see {@link RealGpuTest}. */
  @Test
  void cudaJobsArePlacedMeasuredAndCleanedUp() throws Exception {
    Path gpus = stack.data().simulatedGpus(GpuHost.NAME);
    CudaJob job = new CudaJob(stack, folder, CudaJob.standIn(folder, gpus));

    job.assertMeasured("cuda", 2L << 30);
    job.assertCleanedUp("cuda-cancelled", 2L << 30);
    job.assertSharing("cuda-shares", 2L << 30);
    job.assertOutOfMemory("cuda-oom", 2L << 30);
  }

  private static Posted sharing(String id) {
    return Posted.script(id, "sleep 600 # " + id)
        .with("resources", Map.of("gpus", 1, "gpuMemory", "7GiB", "sharing", "shared"));
  }

  private void awaitHost(String word) {
    awaitHosts("\"" + word + "\"");
  }

  private void awaitHosts(String text) {
    host.awaitHosts(folder, text);
  }

  private void awaitGivenBack() {
    await("all memory of the GPUs to be seen free")
        .atMost(StatusLog.PATIENCE)
        .until(
            () ->
                new Rest(stack)
                    .json("/hosts/" + GpuHost.NAME)
                    .path("telemetry")
                    .findValuesAsText("memoryUsed"),
            List.of("0", "0")::equals);
  }

  @Test
  void whatAHostCannotDoFailsWhereItWasAskedFor() throws Exception {
    awaitHost(GpuHost.NAME);
    CommandLine shell = new CommandLine(folder, stack);

    assertThat(shell.exitCode("policy", GpuHost.NAME, "lucky")).isEqualTo(2);
    assertThat(Files.readString(shell.err()))
        .contains(GpuHost.NAME + " keeps its policy: no policy is called 'lucky'; there are auto");
    assertThat(shell.exitCode("devices", GpuHost.NAME, "99")).isEqualTo(2);
    assertThat(Files.readString(shell.err())).contains(GpuHost.NAME + " keeps its devices: ");
    assertThat(shell.exitCode("policy", "nowhere", "packed")).isEqualTo(4);
    assertThat(stoker("devices", GpuHost.NAME, "--configured")).contains(GpuHost.NAME);
    assertThat(stoker("policy", GpuHost.NAME, "--configured")).contains(GpuHost.NAME);
    assertThat(stoker("hosts", "--json")).doesNotContain("\"problem\"");
  }

  /** What is shown follows what was published. */
  private void awaitSaid(String words, String... command) {
    await(words + " from stoker " + String.join(" ", command))
        .atMost(StatusLog.PATIENCE)
        .until(() -> stoker(command).contains(words));
  }

  private String stoker(String... arguments) throws Exception {
    return new CommandLine(folder, stack).output(arguments);
  }
}
