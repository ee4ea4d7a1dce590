package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** What tests do with the six CPU slots of {@link ThreeHosts}. */
record SixSlots(Path folder, StokerStack stack) {
  static final int SLOTS = 6;

  /** Takes so many slots until the gate opens; the requests' ids. */
  List<String> occupy(String name, int slots, Gate gate) {
    List<String> ids = IntStream.range(0, slots).mapToObj(i -> name + "-" + i).toList();
    ids.forEach(id -> stack.post(Posted.script(id, gate.await() + "# " + id)));
    ids.forEach(id -> stack.statuses().await(id, RequestState.RUNNING));
    return ids;
  }

  /** Writes down when it runs. */
  Posted noting(String id, int cpus) {
    return Posted.script(id, "date +%s%N > '" + folder.resolve(id) + "'")
        .with("resources", Map.of("cpus", cpus));
  }

  long nanos(String id) throws IOException {
    return Long.parseLong(Files.readString(folder.resolve(id)).strip());
  }

  /** Those of them whose newest status says so. */
  List<String> running(List<String> ids) {
    Map<String, RequestStatus> newest = stack.statuses().newest();
    return ids.stream()
        .filter(id -> newest.containsKey(id) && newest.get(id).state() == RequestState.RUNNING)
        .toList();
  }

  void succeed(List<String> ids) {
    for (String id : ids) {
      RequestStatus end = stack.statuses().awaitEnd(id);
      assertThat(end.state()).as("%s: %s", id, end.reason()).isEqualTo(RequestState.SUCCEEDED);
    }
  }

  /** Until REST says so of a request that may not be taken up yet. */
  void awaitExplained(String id, String words) {
    await(id + " explained by " + words)
        .atMost(StatusLog.PATIENCE)
        .until(() -> rest().get("/explain/" + id, "*/*").body().contains(words));
  }

  /** Until REST shows a host so. */
  void awaitHost(String name, Predicate<JsonNode> so) {
    await(name + " as expected").atMost(StatusLog.PATIENCE).until(() -> so.test(host(name)));
  }

  /** A host as REST shows it. */
  JsonNode host(String name) throws Exception {
    for (JsonNode host : rest().json("/hosts").path("hosts")) {
      if (host.path("host").asText().equals(name)) {
        return host;
      }
    }
    throw new AssertionError("no " + name);
  }

  Rest rest() {
    return new Rest(stack);
  }

  /** What the command prints. */
  String stoker(String... arguments) throws Exception {
    return new CommandLine(folder, stack).output(arguments);
  }
}
