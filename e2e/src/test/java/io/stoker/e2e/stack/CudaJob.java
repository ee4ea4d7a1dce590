package io.stoker.e2e.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.RestClient;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
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

  /**
   * A job that takes so much, and holds it until its gate opens.
   *
   * @param mode what it does besides, see cuda_job.c
   */
  private Posted taking(String id, long bytes, String... mode) {
    List<String> command =
        new ArrayList<>(List.of(program.toString(), Long.toString(bytes), gate(id).toString()));
    command.addAll(List.of(mode));
    return Posted.bare(id)
        .with("command", command)
        .with("env", environment)
        .with("resources", Map.of("gpus", 1));
  }

  private Path gate(String id) {
    return folder.resolve(id + ".gate");
  }

  private void open(String id) throws IOException {
    Files.createFile(gate(id));
  }

  private void awaitHolding(String id) {
    RequestStatus status =
        stack
            .statuses()
            .await(
                id, one -> one.progress() != null || one.state().terminal(), "holding its memory");
    assertThat(status.state()).as(id + ": " + status.reason()).isEqualTo(RequestState.RUNNING);
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
    stack.post(taking(id, bytes));
    awaitHolding(id);
    open(id);
    return awaitSuccess(id);
  }

  private RequestStatus awaitSuccess(String id) {
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
    stack.post(taking(id, bytes));
    awaitHolding(id);
    cancel(id);
    assertServes(id + "-after");
  }

  private void cancel(String id) {
    try (RestClient rest = stack.rest()) {
      assertThat(new Requests(rest).cancel(id, null)).isTrue();
    }
    assertThat(stack.statuses().awaitEnd(id).state()).isEqualTo(RequestState.CANCELLED);
  }

  /** A job gets a GPU only when that is free again. */
  private void assertServes(String id) {
    stack.post(Posted.script(id, "true # " + id).with("resources", Map.of("gpus", 1)));
    awaitSuccess(id);
  }

  /** What a job on a GPU did shows in what it is said to have used. */
  public void assertWorks(String id) throws IOException {
    stack.post(taking(id, 0, "works"));
    awaitHolding(id);
    open(id);
    Usage usage = awaitSuccess(id).usage();
    assertThat(usage.gpuUtilization()).as("%s: %s", id, usage).isGreaterThan(50);
    assertThat(usage.energyMj()).as("%s: %s", id, usage).isPositive();
  }

  /** Two jobs on one GPU are measured each by itself. */
  public void assertSharing(String prefix, long bytes) throws IOException {
    Map<String, Object> third =
        Map.of("gpus", 1, "device", "cuda:0", "sharing", "shared", "gpuMemory", 3 * bytes);
    String little = prefix + "-little";
    String much = prefix + "-much";
    stack.post(taking(little, bytes).with("resources", third));
    stack.post(taking(much, 2 * bytes).with("resources", third));
    awaitHolding(little);
    awaitHolding(much);
    open(little);
    open(much);
    long difference = peak(awaitSuccess(much)) - peak(awaitSuccess(little));
    assertThat(Math.abs(difference - bytes))
        .as("one takes %d more than the other, measured %d", bytes, difference)
        .isLessThanOrEqualTo((long) (TOLERANCE * bytes));
  }

  /**
   * A job that takes more than there is, is told by the driver's words; one that takes more than it
   * was promised, by what is measured.
   */
  public void assertOutOfMemory(String prefix, long bytes) throws IOException {
    String tooLarge = prefix + "-too-large";
    stack.post(taking(tooLarge, 1L << 42).with("retry", Map.of("gpuOom", 0)));
    RequestStatus end = stack.statuses().awaitEnd(tooLarge);
    assertThat(end.code()).as(end.reason()).isEqualTo(Code.GPU_OUT_OF_MEMORY);

    String grows = prefix + "-grows";
    stack.post(
        taking(grows, bytes, "grows")
            .with("resources", Map.of("gpus", 1, "sharing", "shared", "gpuMemory", bytes * 3 / 2))
            .with("retry", Map.of("gpuOom", 0)));
    awaitHolding(grows);
    open(grows);
    RequestStatus grown = stack.statuses().awaitEnd(grows);
    assertThat(grown.code()).as(grown.reason()).isEqualTo(Code.GPU_OUT_OF_MEMORY);
    assertThat(grown.reason()).contains("was promised");
    assertServes(prefix + "-after");
  }

  /**
   * The driver tells of a kernel that writes where there is no memory, and the GPU serves again
   * after it.
   */
  public void assertFaultIsHeard(String id) throws IOException {
    stack.post(taking(id, 0, "faults").with("retry", Map.of("deviceFault", 0)));
    awaitHolding(id);
    open(id);
    RequestStatus end = stack.statuses().awaitEnd(id);
    assertThat(end.code()).as(end.reason()).isEqualTo(Code.DEVICE_FAULT);
    assertThat(end.reason()).contains("Xid");
    assertServes(id + "-after");
  }
}
