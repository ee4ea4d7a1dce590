package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.rest.Fleet;
import io.stoker.cli.rest.Pools;
import io.stoker.cli.rest.RestClient;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A pool that a kind declares: it comes, changes under what it runs, and goes. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class KindPoolsTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE;

  @TempDir Path folder;

  private final StokerStack stack;
  private final String host = "host-1";
  private final String runs = "flower-runs-" + System.nanoTime();
  private final String waits = "flower-waits-" + System.nanoTime();
  private final String fresh = "flower-new-" + System.nanoTime();
  private final String late = "flower-late-" + System.nanoTime();
  private RestClient rest;
  private String kinds;

  KindPoolsTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void keepTheKinds() throws IOException {
    rest = stack.rest();
    kinds = Files.readString(SharedStack.KINDS);
  }

  @AfterEach
  void putTheKindsBack() throws IOException {
    reload(kinds);
    rest.close();
  }

  private void reload(String text) throws IOException {
    Files.writeString(SharedStack.KINDS, text);
    JsonNode answer = new Fleet(rest).reload();
    assertThat(answer.path("applied").asBoolean()).as(answer.toString()).isTrue();
  }

  /** With one more kind, whose workers are of a version, on one host alone: it holds two jobs. */
  private void declare(String version) throws IOException {
    Path worker = Checkout.root().resolve("e2e/src/test/resources/worker.sh");
    reload(
        kinds
            + """

              flower:
                resources: {avoid: [host-2]}
                pool:
                  command: [sh, "%s"]
                  env: {OF: %s}
                  max: 1
                  queue: 1
            """
                .formatted(worker, version));
  }

  private static Posted flower(String id, Map<String, String> params) {
    return Posted.bare(id).with("kind", "flower").with("params", params);
  }

  private Optional<JsonNode> pool() {
    List<JsonNode> all = new Pools(rest).all();
    assertThat(all)
        .noneMatch(
            one ->
                one.path("pool").asText().equals("flower")
                    && one.path("host").asText().equals("host-2"));
    return all.stream().filter(one -> one.path("pool").asText().equals("flower")).findFirst();
  }

  private long reported(String field) {
    return pool().map(one -> one.at("/report/" + field).asLong(-1)).orElse(-1L);
  }

  @Test
  void itComesChangesUnderWhatItRunsAndGoes() throws Exception {
    declare("one");
    Gate gate = Gate.in(folder, "gate");
    stack.post(
        flower(runs, Map.of("what", "held", "request", runs, "gate", gate.file().toString())));
    assertThat(stack.statuses().await(runs, RequestState.RUNNING).host()).isEqualTo(host);
    assertThat(pool().orElseThrow().path("kind").asText()).isEqualTo("flower");
    stack.post(flower(waits, Map.of("what", "plain", "id", waits)));
    await("one to run and one to wait")
        .atMost(PATIENCE)
        .until(() -> reported("busy") == 1 && reported("waiting") == 1);

    declare("two");
    await("another pool by its name").atMost(PATIENCE).until(() -> reported("draining") == 1);
    stack.post(flower(fresh, Map.of("what", "plain", "id", fresh)));

    assertThat(of(fresh)).as("what the one before holds takes no place").isEqualTo("two");
    gate.open();
    assertThat(of(runs)).isEqualTo("one");
    assertThat(of(waits)).isEqualTo("one");
    await("the workers before to be gone")
        .atMost(PATIENCE)
        .until(() -> pool().isPresent() && reported("draining") == -1);

    reload(kinds);
    await("no pool of the kind that is gone").atMost(PATIENCE).until(() -> pool().isEmpty());
    stack.post(flower(late, Map.of("what", "plain")));
    assertThat(stack.statuses().await(late, RequestState.REJECTED).reason())
        .contains("kind: flower");
  }

  /** Whose worker ran it; it succeeded, at once. */
  private String of(String id) {
    RequestStatus end = stack.statuses().awaitEnd(id);
    assertThat(end.state()).as(id + ": " + end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).as(id).isEqualTo(1);
    return end.result().path("of").asText();
  }
}
