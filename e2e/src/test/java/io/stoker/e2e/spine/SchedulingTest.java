package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Who starts next, where, and why not yet: {@code docs/scheduling.md}, on six CPU slots. */
@ExtendWith(ThreeHosts.class)
@ResourceLock(ThreeHosts.LOCK)
@BesideTheSharedStack
@Timeout(600)
class SchedulingTest {
  private static final int SLOTS = 6;

  @TempDir Path folder;
  private final StokerStack stack;

  SchedulingTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void queuesShareByTheirWeights() throws Exception {
    Gate busy = Gate.in(folder, "share-busy");
    Gate held = Gate.in(folder, "share-held");
    List<String> before = occupy("share-before", SLOTS, busy);
    List<String> line = new ArrayList<>();
    for (String queue : List.of("heavy", "light")) {
      for (int i = 0; i < SLOTS; i++) {
        String id = "share-" + queue + "-" + i;
        stack.post(Posted.script(id, held.await() + "# " + id).with("queue", queue));
        line.add(id);
      }
    }
    line.forEach(id -> stack.statuses().await(id, RequestState.QUEUED));

    busy.open();
    await("all slots to be given again")
        .atMost(StatusLog.PATIENCE)
        .until(() -> running(line).size() == SLOTS);
    assertThat(running(line)).filteredOn(id -> id.contains("heavy")).hasSize(4);
    assertThat(running(line)).filteredOn(id -> id.contains("light")).hasSize(2);
    held.open();

    succeed(before);
    succeed(line);
  }

  @Test
  void theMoreUrgentGoesFirstAndWhatDoesNotFitBlocksNobody() throws Exception {
    Gate one = Gate.in(folder, "order-one");
    Gate others = Gate.in(folder, "order-others");
    List<String> last = occupy("order-others", SLOTS - 1, others);
    occupy("order-one", 1, one);
    stack.post(
        noting("order-plain", 1).with("priority", 0),
        noting("order-urgent", 1).with("priority", 5),
        noting("order-large", 9).with("priority", 9));
    for (String id : List.of("order-plain", "order-urgent", "order-large")) {
      stack.statuses().await(id, RequestState.QUEUED);
    }

    one.open();

    succeed(List.of("order-urgent", "order-plain"));
    assertThat(nanos("order-urgent")).isLessThan(nanos("order-plain"));
    stoker("cancel", "order-large");
    assertThat(stack.statuses().awaitEnd("order-large").state()).isEqualTo(RequestState.CANCELLED);
    others.open();
    succeed(last);
  }

  @Test
  void aQueueRunsAndKeepsWaitingNoMoreThanItMay() throws Exception {
    Gate gate = Gate.in(folder, "narrow");
    stack.post(Posted.script("narrow-runs", gate.await()).with("queue", "narrow"));
    stack.statuses().await("narrow-runs", RequestState.RUNNING);
    stack.post(noting("narrow-a", 1).with("queue", "narrow"));
    stack.statuses().await("narrow-a", RequestState.QUEUED);
    stack.post(noting("narrow-b", 1).with("queue", "narrow"));
    stack.statuses().await("narrow-b", RequestState.QUEUED);
    stack.post(noting("narrow-c", 1).with("queue", "narrow"));

    RequestStatus refused = stack.statuses().await("narrow-c", RequestState.REJECTED);
    assertThat(refused.code()).isEqualTo(Code.QUEUE_FULL);
    awaitExplained("narrow-a", "\"label\":\"LIMIT\"");
    stoker("priority", "narrow-b", "5");
    awaitExplained("narrow-b", "\"place\":1");
    gate.open();

    succeed(List.of("narrow-runs", "narrow-a", "narrow-b"));
    assertThat(nanos("narrow-b")).isLessThan(nanos("narrow-a"));
  }

  @Test
  void forOneThatHasWaitedLongAHostIsKeptWhileOthersPassElsewhere() throws Exception {
    List<Gate> gates =
        IntStream.range(0, SLOTS).mapToObj(i -> Gate.in(folder, "kept-" + i)).toList();
    for (int i = 0; i < SLOTS; i++) {
      occupy("kept-before-" + i, 1, gates.get(i));
    }
    stack.post(noting("kept-large", 2));
    stack.statuses().await("kept-large", RequestState.QUEUED);
    Gate held = Gate.in(folder, "kept-held");
    List<String> small = IntStream.range(0, SLOTS).mapToObj(i -> "kept-small-" + i).toList();
    small.forEach(id -> stack.post(Posted.script(id, held.await() + "# " + id)));
    small.forEach(id -> stack.statuses().await(id, RequestState.QUEUED));
    String kept = awaitKept("kept-large");

    List<Integer> there =
        IntStream.range(0, SLOTS).filter(i -> host(i).equals(kept)).boxed().toList();
    int elsewhere =
        IntStream.range(0, SLOTS).filter(i -> !host(i).equals(kept)).findFirst().orElseThrow();
    gates.get(there.get(0)).open();
    succeed(List.of("kept-before-" + there.get(0) + "-0"));
    gates.get(elsewhere).open();
    await("a small one to pass it")
        .atMost(StatusLog.PATIENCE)
        .until(() -> running(small).size() == 1);
    assertThat(stack.statuses().lasts().get(running(small).get(0)).host()).isNotEqualTo(kept);
    gates.get(there.get(1)).open();

    RequestStatus end = stack.statuses().awaitEnd("kept-large");
    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.host()).isEqualTo(kept);
    held.open();
    for (int i = 0; i < SLOTS; i++) {
      if (!Files.exists(gates.get(i).file())) {
        gates.get(i).open();
      }
    }
    succeed(small);
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

    succeed(List.of("asks-label", "asks-other", "asks-gpu"));
    assertThat(stack.statuses().awaitEnd("asks-other").host()).isEqualTo("host-2");
    assertThat(stack.statuses().awaitEnd("asks-gpu").result()).isEqualTo(Json.read("\"\""));
    assertThat(stack.statuses().awaitEnd("asks-in-vain").code()).isEqualTo(Code.QUEUE_TIMEOUT);
    assertThat(never("asks-nobody").reason())
        .isEqualTo(
            "no host can ever serve 1 CPU slot(s) with {zone=moon}; it waits for a host that can");
    assertThat(never("asks-firmly").reason())
        .startsWith("no host of the fleet has a GPU, and CPU slots are refused");
    assertThat(stoker("status", "asks-nobody")).contains("QUEUED", "UNSATISFIABLE", "zone=moon");
    stoker("cancel", "asks-nobody", "asks-firmly");
    assertThat(stack.statuses().awaitEnd("asks-nobody").code()).isEqualTo(Code.CANCELLED);
    assertThat(stack.statuses().awaitEnd("asks-firmly").code()).isEqualTo(Code.CANCELLED);
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

    succeed(List.of("suspect-trial"));
    awaitSuspect(false);
  }

  @Test
  void aGroupsRetriesAreUsedTogetherAndEachWaitsBefore() throws Exception {
    stoker("group", "sched-retries", "--retries", "1");
    stack.post(
        Posted.script("retries", "exit 3 # retries")
            .with("group", "sched-retries")
            .with("retry", Map.of("app", 5)));

    RequestStatus end = stack.statuses().awaitEnd("retries");

    // A placement that an agent gave back has a number, too, and costs no retry.
    assertThat(end.code()).isEqualTo(Code.APP_FAILURE);
    assertThat(end.reason()).contains("has used the 1 that its jobs have together");
    assertThat(stack.statuses().seen("retries"))
        .anySatisfy(
            status -> {
              assertThat(status.state()).isEqualTo(RequestState.QUEUED);
              assertThat(status.reason()).containsPattern("attempt [0-9] follows, and waits until");
            });
  }

  /** Takes so many slots until the gate opens; the requests' ids. */
  private List<String> occupy(String name, int slots, Gate gate) {
    List<String> ids = IntStream.range(0, slots).mapToObj(i -> name + "-" + i).toList();
    ids.forEach(id -> stack.post(Posted.script(id, gate.await() + "# " + id)));
    ids.forEach(id -> stack.statuses().await(id, RequestState.RUNNING));
    return ids;
  }

  private String host(int occupied) {
    return stack.statuses().await("kept-before-" + occupied + "-0", RequestState.RUNNING).host();
  }

  /** Writes down when it runs. */
  private Posted noting(String id, int cpus) {
    return Posted.script(id, "date +%s%N > '" + folder.resolve(id) + "'")
        .with("resources", Map.of("cpus", cpus));
  }

  private static Posted asking(String id, Map<String, Object> resources) {
    String script = "echo \"#stoker:result \\\"$CUDA_VISIBLE_DEVICES\\\"\" # " + id;
    return Posted.script(id, script).with("resources", resources);
  }

  private long nanos(String id) throws IOException {
    return Long.parseLong(Files.readString(folder.resolve(id)).strip());
  }

  private List<String> running(List<String> ids) {
    Map<String, RequestStatus> lasts = stack.statuses().lasts();
    return ids.stream()
        .filter(id -> lasts.containsKey(id) && lasts.get(id).state() == RequestState.RUNNING)
        .toList();
  }

  private void succeed(List<String> ids) {
    for (String id : ids) {
      RequestStatus end = stack.statuses().awaitEnd(id);
      assertThat(end.state()).as("%s: %s", id, end.reason()).isEqualTo(RequestState.SUCCEEDED);
    }
  }

  private RequestStatus never(String id) {
    return stack
        .statuses()
        .await(id, status -> status.code() == Code.UNSATISFIABLE, "saying that nobody serves it");
  }

  /** The host that is kept free for a request. */
  private String awaitKept(String id) {
    Pattern keeps = Pattern.compile("host (host-[0-9]) is kept free for it");
    return await("a host to be kept for " + id)
        .atMost(StatusLog.PATIENCE)
        .until(() -> keeps.matcher(get("/explain/" + id)), Matcher::find)
        .group(1);
  }

  private void awaitExplained(String id, String words) {
    await(id + " explained by " + words)
        .atMost(StatusLog.PATIENCE)
        .until(() -> get("/explain/" + id).contains(words));
  }

  private void awaitSuspect(boolean suspect) {
    await("host-3 to be suspect: " + suspect)
        .atMost(StatusLog.PATIENCE)
        .until(() -> host3().path("suspect").asBoolean() == suspect);
  }

  private JsonNode host3() throws Exception {
    for (JsonNode host : Json.read(get("/hosts")).path("hosts")) {
      if (host.path("host").asText().equals("host-3")) {
        return host;
      }
    }
    throw new AssertionError("no host-3");
  }

  private String get(String path) throws IOException {
    try (InputStream answer =
        URI.create(stack.processes().info().url() + path).toURL().openStream()) {
      return new String(answer.readAllBytes());
    }
  }

  private String stoker(String... arguments) throws Exception {
    return new CommandLine(folder, stack).output(arguments);
  }
}
