package io.stoker.e2e.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.RestClient;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A job that takes memory of a GPU by CUDA's driver library: placed, measured and cleaned up. It is
 * the same on a real GPU and, with a stand-in for that library, on a simulated one.
 */
public final class CudaJob {
  private static final Path SOURCES = Checkout.root().resolve("e2e/src/test/native");

  /** What may be wrong with a measured peak. */
  private static final double TOLERANCE = 0.05;

  private final StokerStack stack;
  private final Path folder;
  private final Path program;
  private final Map<String, String> environment;

  /**
   * @param folder of the test's own
   * @param environment of the jobs
   */
  public CudaJob(StokerStack stack, Path folder, Map<String, String> environment)
      throws IOException, InterruptedException {
    this.stack = stack;
    this.folder = folder;
    this.environment = environment;
    this.program = folder.resolve("cuda_job");
    compile(List.of("-o", program.toString(), SOURCES.resolve("cuda_job.c").toString(), "-ldl"));
  }

  /** The environment in which jobs on simulated GPUs find a stand-in for CUDA's library. */
  public static Map<String, String> standIn(Path folder, Path gpus)
      throws IOException, InterruptedException {
    Path library = Files.createDirectories(folder.resolve("cuda")).resolve("libcuda.so.1");
    compile(
        List.of(
            "-shared",
            "-fPIC",
            "-Wl,-soname,libcuda.so.1",
            "-o",
            library.toString(),
            SOURCES.resolve("fake_cuda.c").toString()));
    return Map.of(
        "LD_LIBRARY_PATH", library.getParent().toString(), "STOKER_FAKE_NVML", gpus.toString());
  }

  private static void compile(List<String> arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"));
    command.addAll(arguments);
    Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(compiler.getInputStream().readAllBytes());
    assertThat(compiler.waitFor()).as("%s: %s", command, said).isZero();
  }

  /** A job that takes so much, and holds it until the gate opens. */
  public Posted taking(String id, long bytes, Path gate) {
    return Posted.bare(id)
        .with("command", List.of(program.toString(), Long.toString(bytes), gate.toString()))
        .with("env", environment)
        .with("resources", Map.of("gpus", 1));
  }

  /**
   * Runs one job that makes a context and takes nothing, and one that takes memory as well: the
   * difference of what was measured must be what was taken.
   */
  public void assertMeasured(String prefix, long bytes) throws IOException {
    long context = peak(run(prefix + "-context", 0));
    RequestStatus end = run(prefix + "-takes", bytes);
    assertThat(context).as("what a context takes").isPositive();
    long expected = bytes + context;
    assertThat(Math.abs(peak(end) - expected))
        .as("measured %d, taken %d and %d for the context", peak(end), bytes, context)
        .isLessThanOrEqualTo((long) (TOLERANCE * expected));
    assertThat(end.devices()).as("it saw the GPU that it was given").hasSize(1);
    assertThat(end.result().asText()).isEqualTo(end.devices().getFirst());
  }

  private RequestStatus run(String id, long bytes) throws IOException {
    Path gate = folder.resolve(id + ".gate");
    stack.post(taking(id, bytes, gate));
    stack.statuses().await(id, status -> status.progress() != null, "holding its memory");
    Files.createFile(gate);
    RequestStatus end = stack.statuses().awaitEnd(id);
    assertThat(end.state()).as(id + ": " + end.reason()).isEqualTo(RequestState.SUCCEEDED);
    return end;
  }

  private static long peak(RequestStatus end) {
    Usage usage = end.usage();
    assertThat(usage).as("%s has no usage", end.id()).isNotNull();
    assertThat(usage.peakGpuMemory()).as("%s: %s", end.id(), usage).isNotNull();
    return usage.peakGpuMemory();
  }

  /** A job that is cancelled while it holds its memory gives it back. */
  public void assertCleanedUp(String id, long bytes) {
    stack.post(taking(id, bytes, folder.resolve(id + ".gate")));
    stack.statuses().await(id, status -> status.progress() != null, "holding its memory");
    try (RestClient rest = stack.rest()) {
      assertThat(new Requests(rest).cancel(id, null)).isTrue();
    }
    assertThat(stack.statuses().awaitEnd(id).state()).isEqualTo(RequestState.CANCELLED);
    // It gets a GPU only when that is free again.
    String after = id + "-after";
    stack.post(Posted.script(after, "true # " + after).with("resources", Map.of("gpus", 1)));
    assertThat(stack.statuses().awaitEnd(after).state()).isEqualTo(RequestState.SUCCEEDED);
  }
}
