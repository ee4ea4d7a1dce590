package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.stack.StackOptions;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process beside the agent dies and cannot be started for a while: a folder lies where its errors
 * are to go. The host takes nothing meanwhile, and again by itself.
 */
@Timeout(1_200)
@BesideTheSharedStack
class HelperTroubleTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE;
  private static final String WATCHDOG = "the watchdog";

  @TempDir static Path folder;

  private static Path data;
  private static StokerStack stack;

  @BeforeAll
  static void start() throws Exception {
    data = folder.resolve("agent");
    Map<String, String> environment = new HashMap<>(StokerStack.WITHOUT_GPUS);
    environment.put("STOKER_AGENT_DATA", data.toString());
    stack =
        StokerStack.start("helper-trouble", StackOptions.DEFAULT.withAgentEnvironment(environment));
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.SAME_THREAD) // of the one host
  @ValueSource(strings = {WATCHDOG, "the spawner"})
  void aHostWhoseHelperCannotBeStartedIsGivenNothingUntilItCan(String helper) throws Exception {
    String part = helper.replace("the ", "");
    String before = "before-" + part;
    String meanwhile = "meanwhile-" + part;
    Path enough = folder.resolve("enough-" + part);
    stack.post(Posted.script(before, "until [ -e '%s' ]; do sleep 0.1; done".formatted(enough)));
    stack.statuses().await(before, RequestState.RUNNING);

    Path inTheWay = data.resolve(helper.equals(WATCHDOG) ? "watchdog.err" : "launcher.err");
    Files.delete(inTheWay);
    Files.createDirectory(inTheWay);
    Rest rest = new Rest(stack);
    try {
      kill(helper.equals(WATCHDOG) ? watchdog(data) : spawner(data));
      await("the host to say so")
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                JsonNode host = host(rest);
                assertThat(host.path("reason").asText()).contains(helper);
                assertThat(host.path("state").asText()).isEqualTo("UP");
                assertThat(host.path("usable").asBoolean()).isFalse();
              });

      stack.post(Posted.script(meanwhile, "exit 0 # " + part));
      stack.statuses().await(meanwhile, RequestState.QUEUED);
      await("the scheduler to have looked at it")
          .atMost(PATIENCE)
          .until(() -> rest.get("/explain/" + meanwhile), said -> said.contains(helper));
      assertThat(stack.statuses().newest().get(meanwhile).attempt()).isNull();
    } finally {
      Files.delete(inTheWay);
    }
    RequestStatus end = stack.statuses().awaitEnd(meanwhile);
    assertThat(end.state()).as("%s", end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).as("it was placed once").isEqualTo(1);
    await("the host to be usable")
        .atMost(PATIENCE)
        .until(() -> host(rest).path("usable").asBoolean());
    Files.createFile(enough);
    RequestStatus ran = stack.statuses().awaitEnd(before);
    assertThat(ran.state()).as("%s", ran.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(ran.attempt()).isEqualTo(1);
  }

  private static JsonNode host(Rest rest) throws Exception {
    return rest.json("/hosts").path("hosts").path(0);
  }

  private static long watchdog(Path data) throws IOException {
    return Long.parseLong(Files.readString(data.resolve("watchdog")).split(" ")[0]);
  }

  private static long spawner(Path data) throws IOException {
    try (Stream<Path> keepers = Files.list(data.resolve("keepers"))) {
      List<Long> found = keepers.map(one -> Long.valueOf(one.getFileName().toString())).toList();
      return ProcessHandle.of(found.getFirst())
          .orElseThrow()
          .children()
          .filter(child -> child.info().arguments().isPresent())
          .findFirst()
          .orElseThrow()
          .pid();
    }
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
  }
}
