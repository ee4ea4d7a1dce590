package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.fixture.Podman;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.OutputLog;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Jobs in containers of a real engine, on a stack of their own. */
@Timeout(1_200)
@BesideTheSharedStack
class ContainersTest {
  private static final String SECRET = "s3cr3t-" + UUID.randomUUID();

  @TempDir private static Path folder;
  private static Podman podman;
  private static StokerStack stack;

  @BeforeAll
  static void start(@TempDir Path storage) throws Exception {
    podman = Podman.in(storage);
    Map<String, String> environment = new HashMap<>(StokerStack.WITHOUT_GPUS);
    environment.put("STOKER_AGENT_RUNNERS_TYPES", "cpu,container");
    Path engine = folder.resolve("engine");
    Files.writeString(
        engine,
        "#!/bin/sh\necho \"$@\" >>'%s'\nexec '%s' \"$@\"\n".formatted(told(), podman.cli()));
    assertThat(engine.toFile().setExecutable(true)).isTrue();
    environment.put("STOKER_AGENT_RUNNERS_CONTAINER_CLI", engine.toString());
    environment.put(
        "STOKER_AGENT_SECRETS_HF_FILE", Files.writeString(folder.resolve("hf"), SECRET).toString());
    environment.put("STOKER_AGENT_SECRETS_HF_QUEUES", "default");
    environment.put(
        "STOKER_AGENT_RUNNERS_CONTAINER_MOUNTS", Files.createDirectory(work()).toString());
    environment.put("STOKER_AGENT_RUNNERS_CONTAINER_ARGUMENTS", "--network=host");
    stack =
        StokerStack.start(
            "containers",
            StackOptions.DEFAULT
                .withAgentEnvironment(environment)
                .withDispatcherEnvironment(Map.of("STOKER_SECRETS_HF_QUEUES", "default")));
  }

  private static Path work() {
    return folder.resolve("work");
  }

  /** A file with all arguments that the engine's command was called with. */
  private static Path told() {
    return folder.resolve("told");
  }

  @AfterAll
  static void stop() throws Exception {
    if (stack != null) {
      stack.close();
    }
    if (podman != null) {
      podman.close();
    }
  }

  @Test
  void theResultOfAFastWriter_isNotLost() {
    stack.post(contained("fast", "seq 1 200000; echo '#stoker:result 7'"));

    RequestStatus end = stack.statuses().awaitEnd("fast");

    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result()).hasToString("7");
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void outputOverTheDeathOfTheAgent_isThatOfTheContainer() throws Exception {
    stack.post(
        contained(
            "over", "i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo line $i; sleep 0.05; done"));
    stack.statuses().await("over", RequestState.RUNNING);
    Child agent = stack.processes().child("agent-host-1");
    long before = agent.pid().orElseThrow();

    agent.kill();
    agent.awaitAnother(before, StatusLog.PATIENCE);

    RequestStatus end = stack.statuses().awaitEnd("over");
    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(1);
    try (OutputLog output = stack.outputs()) {
      assertThat(output.await(end.job(), 1))
          .isEqualTo(
              IntStream.rangeClosed(1, 200)
                  .mapToObj(i -> "line " + i + "\n")
                  .collect(Collectors.joining()));
    }
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD) // an agent that dies meanwhile would cost it an attempt
  void aRegistryThatRefuses_failsTheJobAtOnce() {
    stack.post(
        contained("refused", "true")
            .with("image", "localhost:1/none:1")
            .with("retry", Map.of("launch", 0)));

    RequestStatus end = stack.statuses().awaitEnd("refused");

    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.LAUNCH_FAILURE);
    assertThat(end.attempt()).isEqualTo(1);
    assertThat(end.reason()).contains("connection refused");
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD) // an agent that dies meanwhile would cost it an attempt
  void aSecretOfAContainer_isOnNoCommandLineAndInNoFileOfTheAgent() throws Exception {
    stack.post(
        contained(
                "secret",
                "while ! [ -e go ]; do sleep 0.1; done; echo \"#stoker:result ${#TOKEN}\"")
            .with("workdir", work().toString())
            .with("env", Map.of("TOKEN", Map.of("secret", "hf"))));
    stack.statuses().await("secret", RequestState.RUNNING);

    Awaitility.await()
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(Spills.inProcesses(SECRET)).as("the container's").isNotEmpty();
              assertThat(Spills.inFiles(stack.data().root(), SECRET)).isEmpty();
            });
    assertThat(Spills.inProcesses(SECRET)).allMatch(one -> one.endsWith("environ"));
    Files.createFile(work().resolve("go"));
    RequestStatus end = stack.statuses().awaitEnd("secret");

    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result().intValue()).isEqualTo(SECRET.length());
    assertThat(told()).content().contains("--env-file").doesNotContain(SECRET);
    Awaitility.await()
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(() -> assertThat(Spills.inProcesses(SECRET)).isEmpty());
    assertThat(Spills.inFiles(stack.data().root(), SECRET)).isEmpty();
  }

  private static Posted contained(String id, String script) {
    return Posted.bare(id).with("image", Podman.IMAGE).with("command", List.of("sh", "-c", script));
  }
}
