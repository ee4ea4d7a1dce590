package io.stoker.e2e.spine;

import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.FreePorts;
import io.stoker.cli.stack.StackOptions;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.CommandLine;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A stack of one host with two simulated GPUs of 16 GiB, whose agent minds all that it can. */
final class GpuHost implements AutoCloseable {
  static final String NAME = "host-1";

  /** What its GPUs compute, in percent: else jobs that only wait would idle. */
  static final int BUSY = 50;

  private static final int GPUS = 2;

  private final StokerStack stack;
  private final List<String> uuids = new ArrayList<>();
  private final int metrics;
  private final Path labels;

  private GpuHost(StokerStack stack, int metrics, Path labels) throws IOException {
    this.stack = stack;
    this.metrics = metrics;
    this.labels = labels;
    for (int gpu = 0; gpu < GPUS; gpu++) {
      uuids.add(Files.readString(world(gpu).resolve("uuid")).strip());
      busy(gpu, BUSY);
    }
  }

  /**
   * Starts it.
   *
   * @param labels an empty folder, for the files that DCGM's exporter reads
   */
  static GpuHost start(Path labels) throws IOException, InterruptedException {
    int metrics = FreePorts.one();
    StokerStack stack =
        StokerStack.start(
            "gpus",
            StackOptions.DEFAULT
                .withGpus(GPUS)
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
    return new GpuHost(stack, metrics, labels);
  }

  StokerStack stack() {
    return stack;
  }

  /** Its GPUs, in their order. */
  List<String> uuids() {
    return uuids;
  }

  /** Where DCGM's exporter finds which job a GPU has. */
  Path label(String uuid) {
    return labels.resolve(Integer.toString(uuids.indexOf(uuid)));
  }

  /** What makes up a simulated GPU. */
  Path world(int gpu) {
    return stack.data().simulatedGpus(NAME).resolve("gpu" + gpu);
  }

  Path world(String uuid) {
    return world(uuids.indexOf(uuid));
  }

  /** Shell that takes so much of the memory of the GPU that a job was given. */
  String takes(long bytes) {
    return "case $CUDA_VISIBLE_DEVICES in %s) gpu=%s;; *) gpu=%s;; esac; "
            .formatted(uuids.get(0), world(0), world(1))
        + "mkdir -p $gpu/processes; echo %d > $gpu/processes/$$; ".formatted(bytes);
  }

  void busy(int gpu, int percent) throws IOException {
    Path fresh = Files.writeString(world(gpu).resolve("utilization.new"), percent + " 10\n");
    Files.move(fresh, fresh.resolveSibling("utilization"), StandardCopyOption.ATOMIC_MOVE);
  }

  /** The agent's own metrics. */
  String scrape() throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metrics + "/metrics")).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  RequestStatus running(String id) {
    return stack.statuses().await(id, RequestState.RUNNING);
  }

  /** Until {@code stoker hosts --json} has this text. */
  void awaitHosts(Path folder, String text) {
    await()
        .atMost(StatusLog.PATIENCE)
        .until(() -> new CommandLine(folder, stack).output("hosts", "--json").contains(text));
  }

  @Override
  public void close() throws IOException {
    stack.close();
  }
}
