package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stack beside the shared one, of one dispatcher and one host, until it is gone. Any order does;
 * this one needs a single start.
 */
@ExtendWith(SharedStack.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(1_200)
class SecondStackTest {
  @TempDir static Path folder;

  private static StokerStack second;
  private static Rest rest;

  private final StokerStack first;

  SecondStackTest(StokerStack first) {
    this.first = first;
  }

  @BeforeEach
  void start() throws Exception {
    if (second == null) {
      second =
          StokerStack.start(
              "second",
              StackOptions.DEFAULT
                  .withAgentEnvironment(withLittleMemory())
                  .withDispatcherEnvironment(
                      Map.of("STOKER_RETENTION_REQUESTS", "3s", "STOKER_RETENTION_EVERY", "1s")));
      rest = new Rest(second);
    }
  }

  private static Map<String, String> withLittleMemory() {
    Map<String, String> environment = new HashMap<>(StokerStack.WITHOUT_GPUS);
    environment.put("STOKER_AGENT_MEMORY_TOTAL", "600MiB");
    return environment;
  }

  @AfterAll
  static void stop() throws Exception {
    if (second != null) {
      second.close();
    }
  }

  @Test
  @Order(1)
  void twoStacksKnowNothingOfEachOther() throws Exception {
    first.post(Posted.script("either", "echo '#stoker:result \"first\"'"));
    second.post(Posted.script("either", "echo '#stoker:result \"second\"'"));

    assertThat(first.statuses().awaitEnd("either").result()).isEqualTo(Json.read("\"first\""));
    assertThat(second.statuses().awaitEnd("either").result()).isEqualTo(Json.read("\"second\""));
    assertThat(first.deadLetters().all()).noneMatch(letter -> "either".equals(letter.key()));
    assertThat(second.deadLetters().all()).isEmpty();
  }

  /** The host offers its jobs 600 MiB and has four CPU slots. */
  @Test
  @Order(2)
  void aHostIsPromisedNoMoreThanTheMemoryThatItHas() throws Exception {
    Gate gate = Gate.in(folder, "memory-gate");
    second.post(taking("memory-first", "400MiB", gate.await()));
    second.statuses().await("memory-first", RequestState.RUNNING);
    JsonNode host =
        await("its memory to have been measured")
            .atMost(StatusLog.PATIENCE)
            .until(() -> rest.json("/hosts").at("/hosts/0"), shown -> shown.has("memoryFree"));
    assertThat(host.at("/resources/memory").asLong()).isEqualTo(600L << 20);
    assertThat(host.path("memoryPromised").asLong()).isEqualTo(400L << 20);
    assertThat(host.path("memoryFree").asLong()).isPositive();
    second.post(
        taking("memory-large", "300MiB", "exit 0 # large"),
        taking("memory-never", "700MiB", "exit 0 # never"),
        taking("memory-small", "100MiB", "exit 0 # small"));

    assertThat(second.statuses().awaitEnd("memory-small").state())
        .as("what fits goes before")
        .isEqualTo(RequestState.SUCCEEDED);
    second.statuses().await("memory-large", RequestState.QUEUED);
    await("the pass to have looked at it")
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(rest.json("/explain/memory-large").path("label").asText())
                    .isEqualTo("NO_MEMORY"));
    JsonNode why = rest.json("/explain/memory-large");
    assertThat(why.at("/hosts/0/obstacle").asText()).isEqualTo("BUSY_MEMORY");
    assertThat(why.at("/hosts/0/sentence").asText())
        .isEqualTo(
            "has 200 MiB of memory left of the 300 MiB that it would be promised: 400 MiB of 600 MiB"
                + " are promised, or taken");
    assertThat(why.at("/hostMemory/sentence").asText()).contains("the request says 300 MiB");
    second.statuses().await("memory-never", RequestState.QUEUED);
    await("the pass to have looked at that, too")
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(rest.json("/explain/memory-never").path("label").asText())
                    .isEqualTo("UNSATISFIABLE"));
    JsonNode never = rest.json("/explain/memory-never");
    assertThat(never.path("sentence").asText()).contains("700 MiB of host memory", "is 600 MiB");

    gate.open();
    assertThat(second.statuses().awaitEnd("memory-large").state())
        .isEqualTo(RequestState.SUCCEEDED);
    assertThat(rest.code("DELETE", "/requests/memory-never")).isEqualTo(202);
    assertThat(second.statuses().awaitEnd("memory-never").state())
        .isEqualTo(RequestState.CANCELLED);
  }

  private static Posted taking(String id, String memory, String script) {
    return Posted.script(id, script).with("resources", Map.of("memory", memory));
  }

  /** Requests are known here for some seconds after their end, and their results for long. */
  @Test
  @Order(3)
  void whatIsOverForLongIsDroppedAndItsResultAnswersOn() throws Exception {
    String script = "echo '#stoker:result 5' # dropped";
    second.post(Posted.script("dropped", script));
    RequestStatus first = second.statuses().awaitEnd("dropped");
    await("its tombstone")
        .atMost(StatusLog.PATIENCE)
        .until(() -> second.statuses().dropped("dropped"));

    CommandLine stoker = new CommandLine(folder, second);
    await("fast memory to have dropped it")
        .atMost(StatusLog.PATIENCE)
        .until(() -> stoker.exitCode("status", "dropped") == 4);
    assertThat(Files.readString(stoker.err())).contains("dropped");
    assertThat(rest.code("GET", "/requests/dropped")).isEqualTo(404);
    second.post(Posted.script("equal", script));
    RequestStatus equal = second.statuses().awaitEnd("equal");
    assertThat(equal.cached()).as("remembered").isTrue();
    assertThat(equal.job()).isEqualTo(first.job());
    assertThat(equal.result()).isEqualTo(Json.read("5"));
    second.post(Posted.script("dropped", "echo '#stoker:result 6'"));
    RequestStatus anew =
        second
            .statuses()
            .await(
                "dropped",
                status -> status.version() > first.version() && status.state().terminal(),
                "the id being free");
    assertThat(anew.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(anew.result()).isEqualTo(Json.read("6"));
  }

  @Test
  @Order(4)
  void aDispatcherThatStartsAgainInAnEmptyReadOnlyFolderHasLostNothing() throws Exception {
    Gate gate = Gate.in(folder, "dispatcher-gate");
    second.post(
        Posted.script("held", gate.await() + "echo '#stoker:result 1'"),
        Posted.script("follows", "exit 0 # follows").dependingOn("held", "comes-later"));
    second.statuses().await("held", RequestState.RUNNING);
    second.statuses().await("follows", RequestState.WAITING);
    Child dispatcher = second.processes().child("dispatcher-1");

    dispatcher.stop();
    Path work = dispatcher.spec().workFolder();
    assertThat(work.toFile().list())
        .as("a dispatcher keeps nothing on disk; the stack gave it its secrets and settings")
        .containsExactlyInAnyOrder("secrets.properties", "settings.properties");
    Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("r-xr-xr-x"));
    second.post(Posted.script("comes-later", "exit 0 # comes-later"));
    gate.open();
    dispatcher.start();
    second.processes().awaitServing(dispatcher, StatusLog.PATIENCE);

    for (String id : List.of("held", "comes-later", "follows")) {
      RequestStatus end = second.statuses().awaitEnd(id);
      assertThat(end.state()).as("%s: %s", id, end.reason()).isEqualTo(RequestState.SUCCEEDED);
    }
    assertThat(second.statuses().awaitEnd("held").attempt()).isEqualTo(1);
    assertThat(work.toFile().list())
        .containsExactlyInAnyOrder("secrets.properties", "settings.properties");
  }

  @Test
  @Order(5)
  void whatRunsOutlivesAgentAndSpawnerKilledAtOnceAndKeepsItsExitCode() throws Exception {
    Gate unseen = Gate.in(folder, "unseen-gate");
    Gate on = Gate.in(folder, "on-gate");
    Path over = folder.resolve("over");
    second.post(
        Posted.script(
            "ends-unseen", unseen.await() + "echo last words; echo $$ >" + over + "; exit 3"),
        Posted.script("runs-on", on.await() + "echo '#stoker:result 7'"));
    second.statuses().await("ends-unseen", RequestState.RUNNING);
    second.statuses().await("runs-on", RequestState.RUNNING);
    Child agent = second.processes().child("agent-host-1");
    ProcessHandle spawner = spawner();

    agent.pause();
    long before = agent.pid().orElseThrow();
    try {
      spawner.destroyForcibly();
      unseen.open();
      await("the job to end")
          .atMost(StatusLog.PATIENCE)
          .until(() -> Files.exists(over) && Files.readString(over).endsWith("\n"));
      long job = Long.parseLong(Files.readString(over).strip());
      await("nobody to be left of it")
          .atMost(StatusLog.PATIENCE)
          .until(() -> ProcessHandle.of(job).filter(Traces::lives).isEmpty());
    } finally {
      agent.kill();
    }
    agent.awaitAnother(before, StatusLog.PATIENCE);
    RequestStatus ended = second.statuses().awaitEnd("ends-unseen");
    on.open();

    assertThat(ended.state()).isEqualTo(RequestState.FAILED);
    assertThat(ended.exitCode()).isEqualTo(3);
    assertThat(ended.attempt()).isEqualTo(1);
    RequestStatus succeeded = second.statuses().awaitEnd("runs-on");
    assertThat(succeeded.state()).as(succeeded.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(succeeded.result()).isEqualTo(Json.read("7"));
    assertThat(succeeded.attempt()).isEqualTo(1);
  }

  @Test
  @Order(6)
  void aFreshAgentThatFindsNoBrokerGoesOnTryingAndServesOnceOneIsThere() throws Exception {
    Child agent = second.processes().child("agent-host-1");
    Child kafka = second.processes().child("kafka");
    agent.stop();
    delete(second.data().agent("host-1").resolve("journal"));
    kafka.stop();
    long written = Files.size(agent.spec().log());

    agent.start();
    try {
      await("it to miss its broker")
          .atMost(StatusLog.PATIENCE)
          .until(
              () ->
                  Files.readString(agent.spec().log())
                      .substring((int) written)
                      .contains("no broker answers"));
    } finally {
      kafka.start();
    }
    long pid = agent.pid().orElseThrow();
    second.processes().awaitServing(kafka, StatusLog.PATIENCE);

    second.post(Posted.script("after-the-broker", "exit 0 # after-the-broker"));
    assertThat(second.statuses().awaitEnd("after-the-broker").state())
        .isEqualTo(RequestState.SUCCEEDED);
    assertThat(agent.pid()).as("the same process").hasValue(pid);
  }

  /** It is the only child of its keeper. */
  private static ProcessHandle spawner() throws IOException {
    try (Stream<Path> keepers = Files.list(second.data().agent("host-1").resolve("keepers"))) {
      Path keeper = keepers.findFirst().orElseThrow();
      return ProcessHandle.of(Long.parseLong(keeper.getFileName().toString()))
          .flatMap(process -> process.children().findFirst())
          .orElseThrow();
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> inside = Files.walk(folder)) {
      for (Path path : inside.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  @Order(7)
  void nothingIsWrittenOutsideItsFolder() throws Exception {
    List<String> outside = new ArrayList<>();
    for (ProcessHandle process : Traces.processesNaming(second.data().root())) {
      outside.addAll(Traces.writableFilesOutside(process, second.data().root()));
    }

    assertThat(outside).isEmpty();
  }

  @Test
  @Order(8)
  void onceStoppedNothingOfItIsLeft() throws Exception {
    Path pidFile = folder.resolve("daemon");
    second.post(
        Posted.script(
            "leaves-a-daemon",
            "setsid sh -c 'trap \"\" TERM; echo $$ > %s; sleep 1000' & wait".formatted(pidFile)));
    await("the daemon to run")
        .atMost(StatusLog.PATIENCE)
        .until(() -> Files.exists(pidFile) && Files.readString(pidFile).endsWith("\n"));
    long daemon = Long.parseLong(Files.readString(pidFile).strip());
    assertThat(ProcessHandle.of(daemon)).isPresent();
    Path data = second.data().root();
    List<Integer> ports =
        Stream.of("kafka", "kafka-controller", "postgres", "redis", "dispatcher-1")
            .map(name -> second.processes().port(name))
            .toList();
    assertThat(ports).allMatch(Traces::isOpen);

    second.close();
    second = null;

    assertThat(Traces.processesNaming(data)).isEmpty();
    assertThat(ProcessHandle.of(daemon).filter(Traces::lives)).isEmpty();
    assertThat(ports).noneMatch(Traces::isOpen);
    assertThat(data).doesNotExist();
    first.post(Posted.script("serves-on", "exit 0 # serves-on"));
    assertThat(first.statuses().awaitEnd("serves-on").state()).isEqualTo(RequestState.SUCCEEDED);
  }
}
