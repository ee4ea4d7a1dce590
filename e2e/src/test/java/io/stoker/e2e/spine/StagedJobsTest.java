package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Staged jobs in Python on a host with two simulated GPUs. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(1_200)
@ResourceLock("StagedJobsTest") // one test after the other: in one of them the agent is killed
@BesideTheSharedStack
class StagedJobsTest {
  private static final String HOST = "host-1";
  private static final Duration PATIENCE = StatusLog.PATIENCE;

  /** Whatever else this machine does. */
  private static final Map<String, String> OPEN_GATES =
      Map.of(
          "STOKER_AGENT_UTILIZATION_LIMIT_CPU", "2",
          "STOKER_AGENT_UTILIZATION_LIMIT_MEMORY", "1",
          "STOKER_AGENT_REMAIN_LIMIT_MEMORY", "0B",
          // What does not say how much it needs to load waits for ever.
          "STOKER_AGENT_SCHEDULER_DEFAULT_MEMORY", "900TB",
          "STOKER_AGENT_GRACE", "2s");

  /** Writes down each call, and does at each stage what its parameters say. */
  private static final Path JOB = Checkout.root().resolve("e2e/src/test/resources/staged_job.py");

  @TempDir static Path folder;
  private StokerStack stack;

  @BeforeAll
  void start() throws Exception {
    assumeTrue(hasPython(), "no python3 here");
    stack =
        StokerStack.start(
            "staged", StackOptions.DEFAULT.withGpus(2).withAgentEnvironment(OPEN_GATES));
  }

  @AfterAll
  void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void aTrainingOutOfMemoryTwiceIsTriedAgainInTheSameProcess() throws Exception {
    stack.post(staged("ooms", Map.of("trainOoms", 2, "loadOoms", 1)));

    RequestStatus end = stack.statuses().awaitEnd("ooms");

    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).as(told(end.id())).isEqualTo(1);
    assertThat(end.result().path("device").asText()).startsWith("cuda:");
    assertThat(end.result().path("sees").asText()).as("all devices").contains(",");
    assertThat(end.usage().loadMs()).as("both loads").isPositive();
    assertThat(end.usage().trainMs()).as("all trainings").isNotNull();
    List<String> log = Files.readAllLines(log("ooms"));
    assertThat(log).hasSize(5);
    String first = log.get(0).substring("load ".length());
    String second = log.get(1).substring("load ".length());
    assertThat(second).isNotEqualTo(first).isEqualTo(end.result().path("loaded").asText());
    assertThat(log.subList(2, 5)).containsOnly("train " + second);
    assertEverythingIsFree("ooms");
  }

  @Test
  void aLoadOutOfMemoryThreeTimesFailsByName() throws Exception {
    stack.post(staged("loads", Map.of("loadOoms", 9)));

    RequestStatus end = stack.statuses().awaitEnd("loads");

    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.APP_FAILURE);
    assertThat(end.reason())
        .isEqualTo("LoadNumbersExceed: out of memory in load 3 of 3: MemoryError: no room to load");
    assertThat(end.attempt()).as(told(end.id())).isEqualTo(1);
    assertThat(Files.readAllLines(log("loads"))).hasSize(3).doesNotHaveDuplicates();
    assertEverythingIsFree("loads");
  }

  @Test
  void anExceptionIsToldWithItsStageAndMessage() throws Exception {
    stack.post(staged("broken", Map.of("broken", true)));

    assertThat(stack.statuses().awaitEnd("broken").reason())
        .isEqualTo("exception in train: ValueError: no such layer");
    assertEverythingIsFree("broken");
  }

  @ParameterizedTest
  @ValueSource(strings = {"AVAILABLE", "LOADING", "HOLDING", "TRAINING"})
  void aKilledProcessIsNoticedAtEveryStageAndItsRetrySucceeds(String stage) throws Exception {
    String id = "killed-" + stage;
    Map<String, Object> params = new HashMap<>();
    if (stage.equals("LOADING")) {
      params.put("stay", "load");
    } else if (stage.equals("TRAINING")) {
      params.put("stay", "train");
    }
    boolean held = stage.equals("AVAILABLE") || stage.equals("HOLDING");
    Posted request = staged(id, params).with("retry", Map.of("app", held ? 0 : 1));
    if (stage.equals("AVAILABLE")) {
      // Nothing like it has run, from which could be known what it takes.
      request =
          request
              .with("command", command("says nothing of its memory"))
              .with("resources", Map.of("gpus", 1, "gpuMemory", "1GiB"));
    } else if (stage.equals("HOLDING")) {
      othersTake(8L << 30);
      request =
          request.with("resources", Map.of("gpus", 1, "gpuMemory", "16GiB", "memory", "10MiB"));
    }
    stack.post(request);
    long pid = pidAt(id, stage);

    ProcessHandle.of(pid).orElseThrow().destroyForcibly();

    RequestStatus end = stack.statuses().awaitEnd(id);
    othersTake(0);
    if (held) {
      assertThat(end.state()).isEqualTo(RequestState.FAILED);
      assertThat(end.reason()).isEqualTo("while " + stage + ": killed by signal 9");
      assertThat(end.attempt()).as(told(end.id())).isEqualTo(1);
    } else {
      assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
      assertThat(end.attempt()).isEqualTo(2);
    }
    assertEverythingIsFree(id);
  }

  @Test
  void aKilledAgentsSuccessorGoesOnWithTheStageAndTheProcess() throws Exception {
    Gate gate = Gate.in(folder, "agent-gate");
    stack.post(staged("agent", Map.of("gate", gate.file().toString())));
    long pid = pidAt("agent", "TRAINING");
    Child agent = stack.processes().child("agent-" + HOST);
    long killed = agent.pid().orElseThrow();
    String before = epoch();

    agent.kill();
    agent.awaitAnother(killed, PATIENCE);
    // Until its lease is over the host looks as the killed one has left it.
    await("the next agent to be welcome").atMost(PATIENCE).until(() -> !epoch().equals(before));
    gate.open();

    RequestStatus end = stack.statuses().awaitEnd("agent");
    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).as(told(end.id())).isEqualTo(1);
    assertThat(end.result().path("loaded").asLong()).isEqualTo(pid);
    assertThat(Files.readAllLines(log("agent"))).as("no call twice").hasSize(2);
    assertEverythingIsFree("agent");
  }

  @Test
  void aThirdOneLoadsWhileTheOthersHaveTheGpus() throws Exception {
    Gate gate = Gate.in(folder, "busy-gate");
    Map<String, Object> params = Map.of("gate", gate.file().toString());
    stack.post(staged("busy-1", params), staged("busy-2", params));
    pidAt("busy-1", "TRAINING");
    pidAt("busy-2", "TRAINING");
    stack.post(staged("third", Map.of()));
    long pid = pidAt("third", "HOLDING");
    gate.open();

    RequestStatus end = stack.statuses().awaitEnd("third");
    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).as(told(end.id())).isEqualTo(1);
    assertThat(end.result().path("loaded").asLong()).isEqualTo(pid);
    assertThat(stack.statuses().awaitEnd("busy-1").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().awaitEnd("busy-2").state()).isEqualTo(RequestState.SUCCEEDED);
    assertEverythingIsFree("third");
  }

  @Test
  void oneThatSaysNothingWaitsForWhatItsGroupExpects() throws Exception {
    String made =
        stoker("group", "hungry", "--create", "--memory", "10MiB", "--gpu-memory", "16GiB");
    assertThat(made.strip()).isEqualTo("hungry");
    othersTake(8L << 30);
    stack.post(
        staged("hungry-1", Map.of()).with("group", "hungry").with("resources", Map.of("gpus", 1)));

    pidAt("hungry-1", "HOLDING");
    stack
        .statuses()
        .await(
            "hungry-1",
            status ->
                status.progress() != null
                    && status
                        .progress()
                        .path("message")
                        .asText()
                        .contains("less " + (16L << 30) + " required"),
            "waiting for 16 GiB");

    stoker("cancel", "hungry-1");
    assertThat(stack.statuses().awaitEnd("hungry-1").state()).isEqualTo(RequestState.CANCELLED);
    othersTake(0);
    assertEverythingIsFree("hungry-1");
  }

  /** All that was said of a request, for who must find out why it was not as expected. */
  private String told(String id) {
    return stack.statuses().seen(id).toString();
  }

  /** It rises with each start of the agent. */
  private String epoch() throws SQLException {
    return stack.database().one("select epoch from host where id = ?", HOST);
  }

  private String stoker(String... arguments) throws Exception {
    return new CommandLine(folder, stack).output(arguments);
  }

  private static boolean hasPython() throws InterruptedException {
    try {
      return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private Posted staged(String id, Map<String, Object> params) throws IOException {
    Map<String, Object> all = new HashMap<>(params);
    all.put("log", Files.createFile(log(id)).toString());
    return Posted.bare(id)
        .with("command", command())
        .with("stages", List.of("load", "train"))
        .with("params", all)
        .with("env", Map.of("PYTHONDONTWRITEBYTECODE", "1"))
        .with("resources", Map.of("gpus", 1, "gpuMemory", "1GiB", "memory", "10MiB"));
  }

  private List<String> command(String... more) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "python3", JOB.toString(), Checkout.root().resolve("examples/staged").toString()));
    command.addAll(List.of(more));
    return command;
  }

  private Path log(String id) {
    return folder.resolve(id + ".log");
  }

  /**
   * The process of a request, once it is seen at a stage. It is told to load before it is seen to
   * have begun: until it runs its program it has another one's environment.
   */
  private long pidAt(String id, String stage) {
    RequestStatus seen =
        stack
            .statuses()
            .await(
                id,
                status ->
                    status.progress() != null
                        && status.progress().path("stage").asText().equals(stage),
                "at " + stage);
    return await("the process of job " + seen.job())
        .atMost(PATIENCE)
        .until(
            () ->
                ProcessHandle.allProcesses()
                    .filter(one -> environment(one).contains("STOKER_JOB_ID=" + seen.job() + "\0"))
                    .mapToLong(ProcessHandle::pid)
                    .findFirst(),
            OptionalLong::isPresent)
        .orElseThrow();
  }

  private static String environment(ProcessHandle process) {
    try {
      return Files.readString(
          Path.of("/proc/" + process.pid() + "/environ"),
          java.nio.charset.StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Somebody whom no agent knows has so many bytes of each GPU, and the agent has seen it: it
   * measures once a second, which is longer than a short job takes to its training.
   */
  private void othersTake(long bytes) throws IOException {
    for (int gpu = 0; gpu < 2; gpu++) {
      Path used = stack.data().simulatedGpus(HOST).resolve("gpu" + gpu).resolve("memory_used");
      Path whole = Files.writeString(used.resolveSibling("memory_used.new"), bytes + "\n");
      Files.move(whole, used, StandardCopyOption.ATOMIC_MOVE);
    }
    Rest rest = new Rest(stack);
    await("each GPU seen with %d bytes taken".formatted(bytes))
        .atMost(PATIENCE)
        .until(
            () ->
                rest.json("/hosts/" + HOST).path("telemetry").findValues("memoryUsed").stream()
                    .map(JsonNode::asLong)
                    .toList(),
            List.of(bytes, bytes)::equals);
  }

  /** Who fails leaves its memory to nobody: a GPU that does not come clean is given to none. */
  @AfterEach
  void nobodyTakesAnything() throws IOException {
    stack.endWhatIsLeft();
    othersTake(0);
  }

  /** A job that takes both GPUs. */
  private void assertEverythingIsFree(String after) {
    String id = "both-after-" + after;
    stack.post(Posted.script(id, "true # " + id).with("resources", Map.of("gpus", 2)));
    assertThat(stack.statuses().awaitEnd(id).state()).isEqualTo(RequestState.SUCCEEDED);
  }
}
