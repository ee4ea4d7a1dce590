package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.stack.StackOptions;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a job writes ends that job alone: beside each of these a neighbour runs on the same host, in
 * its only attempt, and the host takes jobs after it.
 */
@BesideTheSharedStack
@Timeout(1_200)
class HostileOutputTest {
  private static StokerStack stack;

  @TempDir Path folder;
  private String name;
  private Gate gate;

  @BeforeAll
  static void start() throws Exception {
    // Each of its tests that runs at once has a neighbour, beside whom its other jobs have room.
    Map<String, String> agent = new HashMap<>(StokerStack.WITHOUT_GPUS);
    agent.put("STOKER_AGENT_CPU_SLOTS", "12");
    stack =
        StokerStack.start(
            "hostile-output",
            StackOptions.DEFAULT.withDispatchers(1).withHosts(1).withAgentEnvironment(agent));
  }

  @AfterAll
  static void stop() throws IOException {
    stack.close();
  }

  @BeforeEach
  void aNeighbourRuns() throws IOException {
    name = folder.getFileName().toString().replaceAll("[^A-Za-z0-9]", "");
    gate = new Gate(folder.resolve("gate"));
    stack.post(Posted.script("neighbour-" + name, gate.await() + "# " + name));
    stack.statuses().await("neighbour-" + name, RequestState.RUNNING);
  }

  @AfterEach
  void itWasDisturbedByNothing() throws IOException {
    try {
      stack.post(Posted.script("after-" + name, "echo after " + name));
      assertThat(stack.statuses().awaitEnd("after-" + name).state())
          .isEqualTo(RequestState.SUCCEEDED);
    } finally {
      gate.open();
    }
    RequestStatus neighbour = stack.statuses().awaitEnd("neighbour-" + name);
    assertThat(neighbour.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(neighbour.attempt())
        .as(() -> "attempts of " + stack.statuses().seen(neighbour.id()))
        .isEqualTo(1);
    assertThat(stack.deadLetters().all()).isEmpty();
  }

  private RequestStatus end(String script) {
    stack.post(Posted.script("hostile-" + name, script + "\n# " + name));
    return stack.statuses().awaitEnd("hostile-" + name);
  }

  static Stream<Arguments> lastLines() {
    return Stream.of(
        Arguments.of("a\\000b", "exit code 3: a\\u0000b"),
        Arguments.of("\\355\\240\\275", "exit code 3: \ufffd"),
        Arguments.of("\\033[31mred\\007", "exit code 3: \\u001b[31mred\\u0007"),
        Arguments.of("x".repeat(499) + "😀", "exit code 3: " + "x".repeat(499) + "😀"),
        Arguments.of("x".repeat(499) + "😀😀", "exit code 3: " + "x".repeat(499) + "😀…"));
  }

  @ParameterizedTest
  @MethodSource("lastLines")
  void theLastLineOfItsErrorsIsMadePlain(String printed, String reason) {
    RequestStatus end = end("printf '%s\\n' >&2; exit 3".formatted(printed));
    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.APP_FAILURE);
    assertThat(end.reason()).isEqualTo(reason);
  }

  static Stream<String> results() {
    return Stream.of("\"\\u0000\"", "\"\\ud83d\"", "[1e400]", "{", "[".repeat(60) + "]".repeat(60));
  }

  @ParameterizedTest
  @MethodSource("results")
  void aResultThatCannotBeKeptIsACodedFailure(String json) {
    RequestStatus end = end("printf '%%s' '%s' > $STOKER_RESULT".formatted(json));
    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.RESULT_INVALID);
    assertThat(end.exitCode()).isZero();
  }

  @Test
  void millionsOfResultsAreOneResult() {
    RequestStatus end = end("yes '#stoker:result 1' | head -n 3000000; echo '#stoker:result 2'");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result().intValue()).isEqualTo(2);
    assertThat(end.attempt()).isEqualTo(1);
    String agents = agentLogs();
    assertThat(agents).doesNotContain("OutOfMemoryError");
  }

  @Test
  void aLineWithoutEndIsNoResult() {
    RequestStatus end = end("printf '#stoker:result '; head -c 300000000 /dev/zero; echo; exit 0");
    assertThat(end.code()).isEqualTo(Code.RESULT_INVALID);
  }

  private static String agentLogs() {
    try {
      StringBuilder all = new StringBuilder();
      for (Path file : Tree.files(stack.data().log("any").getParent())) {
        all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
      return all.toString();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
