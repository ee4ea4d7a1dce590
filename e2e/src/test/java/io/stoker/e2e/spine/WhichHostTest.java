package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Which host gets a job, and which gets none: {@code docs/scheduling.md}, on three hosts. */
@ExtendWith(ThreeHosts.class)
@ResourceLock(ThreeHosts.LOCK)
@BesideTheSharedStack
@Timeout(1_200)
class WhichHostTest {
  @TempDir Path folder;
  private final StokerStack stack;
  private SixSlots slots;

  WhichHostTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void slots() {
    slots = new SixSlots(folder, stack);
  }

  @Test
  void hostsAreChosenByWhatTheRequestRequires() throws Exception {
    stack.post(
        asking("asks-label", Map.of("require", Map.of("zone", "lab"))),
        asking("asks-nobody", Map.of("require", Map.of("zone", "moon"))),
        asking("asks-in-vain", Map.of("require", Map.of("zone", "moon")))
            .with("queueTimeout", "1s"),
        asking("asks-other", Map.of("avoid", List.of("host-1", "host-3"))),
        asking("asks-gpu", Map.of("gpus", 1)),
        asking("asks-firmly", Map.of("gpus", 1, "cpuFallback", false)));

    slots.succeed(List.of("asks-label", "asks-other", "asks-gpu"));
    assertThat(stack.statuses().awaitEnd("asks-other").host()).isEqualTo("host-2");
    assertThat(stack.statuses().awaitEnd("asks-gpu").result()).isEqualTo(Json.read("\"\""));
    assertThat(stack.statuses().awaitEnd("asks-in-vain").code()).isEqualTo(Code.QUEUE_TIMEOUT);
    assertThat(never("asks-nobody").reason())
        .isEqualTo(
            "no host can ever serve 1 CPU slot(s) with {zone=moon}; it waits for a host that can");
    assertThat(never("asks-firmly").reason())
        .startsWith("no host of the fleet has a GPU, and CPU slots are refused");
    await("fast memory to have it")
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(slots.stoker("status", "asks-nobody"))
                    .contains("QUEUED", "UNSATISFIABLE", "zone=moon"));
    slots.stoker("cancel", "asks-nobody", "asks-firmly");
    assertThat(stack.statuses().awaitEnd("asks-nobody").code()).isEqualTo(Code.CANCELLED);
    assertThat(stack.statuses().awaitEnd("asks-firmly").code()).isEqualTo(Code.CANCELLED);
  }

  /** For CPU slots it would be the host with most of them free. */
  @Test
  void theHostWithPreferredLabelsIsTakenWhileItHasRoom() throws Exception {
    Gate gate = Gate.in(folder, "prefers");
    stack.post(on("host-2", "prefers-before", gate.await()));
    stack.statuses().await("prefers-before", RequestState.RUNNING);
    slots.awaitHost("host-2", host -> host.path("freeCpuSlots").asInt() == 1);
    for (String other : List.of("host-1", "host-3")) {
      slots.awaitHost(other, host -> host.path("freeCpuSlots").asInt() == 2);
    }
    Map<String, Object> resources = Map.of("prefer", Map.of("box", "host-2"));

    stack.post(Posted.script("prefers", gate.await() + "# prefers").with("resources", resources));
    assertThat(stack.statuses().await("prefers", RequestState.RUNNING).host()).isEqualTo("host-2");
    stack.post(Posted.script("prefers-too", "exit 0 # prefers-too").with("resources", resources));

    RequestStatus elsewhere = stack.statuses().awaitEnd("prefers-too");
    assertThat(elsewhere.state()).as(elsewhere.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(elsewhere.host()).as("it only prefers").isNotEqualTo("host-2");
    gate.open();
    slots.succeed(List.of("prefers-before", "prefers"));
  }

  @Test
  void aHostOnWhichNothingStartsIsSuspectUntilSomethingDoes() throws Exception {
    for (int i = 0; i < 3; i++) {
      String id = "suspect-" + i;
      stack.post(
          Posted.bare(id)
              .with("command", List.of("/no/such/program", id))
              .with("resources", Map.of("avoid", List.of("host-1", "host-2"))));
      assertThat(stack.statuses().awaitEnd(id).code()).isEqualTo(Code.LAUNCH_FAILURE);
    }
    awaitSuspect(true);

    stack.post(asking("suspect-trial", Map.of("avoid", List.of("host-1", "host-2"))));

    slots.succeed(List.of("suspect-trial"));
    awaitSuspect(false);
  }

  @Test
  void aHostThatIsDrainedWithoutADeadlineLetsItsJobsEnd() throws Exception {
    Gate gate = Gate.in(folder, "drained");
    stack.post(on("host-2", "drained-runs", gate.await()));
    RequestStatus running = stack.statuses().await("drained-runs", RequestState.RUNNING);
    slots.stoker("drain", "host-2", "--reason", "a new driver");
    try {
      slots.awaitHost("host-2", host -> host.path("drain").path("empty").isBoolean());
      stack.post(on("host-2", "drained-waits", ""));
      slots.awaitExplained("drained-waits", "is cordoned: a new driver");
      assertThat(slots.stoker("hosts")).contains("DRAINING", "a new driver");
      assertThat(slots.running(List.of("drained-runs"))).isNotEmpty();
      gate.open();

      slots.succeed(List.of("drained-runs"));
      assertThat(stack.statuses().awaitEnd("drained-runs").attempt()).isEqualTo(running.attempt());
      slots.awaitHost("host-2", host -> host.path("drain").path("empty").asBoolean());
      assertThat(slots.stoker("hosts")).contains("DRAINED");
    } finally {
      slots.stoker("uncordon", "host-2");
    }
    slots.succeed(List.of("drained-waits"));
  }

  /**
   * Its agent is stopped for longer than its lease and goes on, again and again: the job that it
   * loses is moved once, what comes meanwhile waits for nobody, and it is soon suspect.
   */
  @Test
  void aHostThatComesAndGoesMovesItsJobOnceAndNothingRunsTwice() throws Exception {
    Gate gate = Gate.in(folder, "flaps");
    Path starts = Files.createFile(folder.resolve("flaps-starts"));
    String note = "echo $STOKER_ATTEMPT $$ >> '%s'; ".formatted(starts);
    stack.post(Posted.script("flaps", note + gate.await()).with("retry", Map.of("hostLost", 9)));
    RequestStatus first = stack.statuses().await("flaps", RequestState.RUNNING);
    Child agent = stack.processes().child("agent-" + first.host());

    JsonNode host = null;
    for (int i = 0; i < 2 || !host.path("suspect").asBoolean(); i++) {
      agent.pause();
      try {
        awaitState(first.host(), "LOST");
        String meanwhile = "flaps-meanwhile-" + i;
        stack.post(Posted.script(meanwhile, "exit 0 # " + meanwhile));
        slots.succeed(List.of(meanwhile));
      } finally {
        agent.resume();
      }
      awaitState(first.host(), "UP");
      stack
          .statuses()
          .await(
              "flaps",
              status ->
                  status.state() == RequestState.RUNNING && status.attempt() > first.attempt(),
              "running again");
      host = slots.host(first.host());
    }
    assertThat(host.path("reason").asText()).startsWith("is suspect: it was lost ");
    gate.open();

    slots.succeed(List.of("flaps"));
    assertThat(stack.statuses().seen("flaps"))
        .filteredOn(status -> first.host().equals(status.host()))
        .as("no other attempt there, though it came back")
        .allMatch(status -> status.attempt().equals(first.attempt()));
    assertThat(Files.readAllLines(starts))
        .as("each attempt begins once, and only the one that was lost with its host was in vain")
        .extracting(line -> line.split(" ")[0])
        .doesNotHaveDuplicates()
        .contains(first.attempt().toString());
    slots.stoker("uncordon", first.host());
    slots.awaitHost(first.host(), back -> !back.path("suspect").asBoolean());
    stack.post(on(first.host(), "flaps-after", ""));
    slots.succeed(List.of("flaps-after"));
  }

  private void awaitState(String host, String state) {
    await(host + " to be " + state)
        .atMost(StatusLog.PATIENCE)
        .until(
            () -> stack.database().one("select state from host where id = ?", host), state::equals);
  }

  /** Takes a slot of this host alone. */
  private static Posted on(String host, String id, String script) {
    return Posted.script(id, script + "exit 0 # " + id)
        .with("resources", Map.of("require", Map.of("box", host)));
  }

  private static Posted asking(String id, Map<String, Object> resources) {
    String script = "echo \"#stoker:result \\\"$CUDA_VISIBLE_DEVICES\\\"\" # " + id;
    return Posted.script(id, script).with("resources", resources);
  }

  private RequestStatus never(String id) {
    return stack
        .statuses()
        .await(id, status -> status.code() == Code.UNSATISFIABLE, "saying that nobody serves it");
  }

  private void awaitSuspect(boolean suspect) {
    slots.awaitHost("host-3", host -> host.path("suspect").asBoolean() == suspect);
  }
}
