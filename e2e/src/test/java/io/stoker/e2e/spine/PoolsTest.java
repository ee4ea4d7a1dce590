package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.stoker.cli.rest.Pools;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of a pool of warm workers, from Kafka to a worker and back. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class PoolsTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE;

  @TempDir Path folder;

  private final StokerStack stack;

  PoolsTest(StokerStack stack) {
    this.stack = stack;
  }

  private static Posted task(String id, String what) {
    return Posted.bare(id)
        .with("workers", StokerStack.POOL)
        .with("params", Map.of("what", what, "id", id));
  }

  /** The pool on each host; kinds of other tests may declare more. */
  private List<JsonNode> pools() {
    try (RestClient rest = stack.rest()) {
      return new Pools(rest)
          .all().stream()
              .filter(pool -> pool.path("pool").asText().equals(StokerStack.POOL))
              .toList();
    }
  }

  private static long sum(List<JsonNode> pools, String field) {
    return pools.stream().mapToLong(pool -> pool.at("/report/" + field).asLong()).sum();
  }

  @Test
  void warmWorkersRunThemAndTellHowTheyEnded() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      ids.add("pool-" + i);
      stack.post(task("pool-" + i, "plain"));
    }
    stack.post(task("pool-fails", "fail"), task("pool-dies", "die"));
    stack.statuses().awaitEnds(ids, PATIENCE);

    for (String id : ids) {
      RequestStatus end = stack.statuses().awaitEnd(id);
      assertThat(end.state()).as(id + ": " + end.reason()).isEqualTo(RequestState.SUCCEEDED);
      assertThat(end.result().path("pid").asLong()).isPositive();
    }
    RequestStatus failed = stack.statuses().awaitEnd("pool-fails");
    assertThat(failed.code()).isEqualTo(Code.APP_FAILURE);
    assertThat(failed.reason()).isEqualTo("it was told to fail");
    RequestStatus died = stack.statuses().awaitEnd("pool-dies");
    assertThat(died.state()).isEqualTo(RequestState.FAILED);
    assertThat(died.reason()).contains("killed by signal 9");
    // Equal work is not done twice, in a pool either.
    stack.post(task("pool-0", "plain").as("pool-0-again"));
    assertThat(stack.statuses().awaitEnd("pool-0-again").cached()).isTrue();
  }

  /** Two run and four wait behind them when their agent is killed. */
  @Test
  void whatWaitedInTheQueueOfAKilledAgentIsRunByTheNextAndWhatRanIsRetried() throws Exception {
    String host = "host-1";
    Gate gate = Gate.in(folder, "held");
    List<String> ids = IntStream.range(0, 6).mapToObj(i -> "pool-held-" + i).toList();
    for (String id : ids) {
      stack.post(
          Posted.bare(id)
              .with("workers", StokerStack.POOL)
              .with("params", Map.of("what", "held", "id", id, "gate", gate.file().toString()))
              .with("resources", Map.of("avoid", List.of("host-2"))));
    }
    JsonNode full =
        await("two to run, and four to wait")
            .atMost(PATIENCE)
            .until(
                () -> report(host),
                report ->
                    report.path("busy").asLong() == 2 && report.path("waiting").asLong() == 4);
    long processed = full.path("processed").asLong();
    Path begins = folder.resolve("held.begun");
    await("both to have noted it")
        .atMost(PATIENCE)
        .until(() -> Files.exists(begins) && Files.readAllLines(begins).size() == 2);
    Set<String> begun = Set.copyOf(Files.readAllLines(begins));
    assertThat(begun).hasSize(2);
    Child agent = stack.processes().child("agent-" + host);
    long killed = agent.pid().orElseThrow();

    agent.kill();
    agent.awaitAnother(killed, PATIENCE);
    stack.processes().awaitServing(agent, PATIENCE);
    // Workers of the killed one would go through the gate as long as they live.
    await("the next agent's workers to run two")
        .atMost(PATIENCE)
        .until(() -> Files.readAllLines(begins).size() == 4);
    gate.open();

    for (String id : ids) {
      RequestStatus end = stack.statuses().awaitEnd(id);
      assertThat(end.state()).as(id + ": " + end.reason()).isEqualTo(RequestState.SUCCEEDED);
      assertThat(end.attempt()).as(id).isEqualTo(begun.contains(id) ? 2 : 1);
    }
    assertThat(Files.readAllLines(begins)).hasSize(8);
    assertThat(Files.readAllLines(folder.resolve("held.ended")))
        .containsExactlyInAnyOrderElementsOf(ids);
    await("counts that go on where they were")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              JsonNode report = report(host);
              assertThat(report.path("processed").asLong() - processed)
                  .as("processed")
                  .isEqualTo(8);
              assertThat(report.path("queued").asLong() - processed).as("queued").isEqualTo(8);
            });
  }

  /** All of one moment: another answer may come from a dispatcher that has heard less. */
  private JsonNode report(String host) {
    return pools().stream()
        .filter(pool -> pool.path("host").asText().equals(host))
        .map(pool -> pool.path("report"))
        .findFirst()
        .orElse(MissingNode.getInstance());
  }

  @Test
  void aResetPoolSaysSoAndServesOn() {
    stack.post(task("pool-blocks", "block"));
    stack.statuses().await("pool-blocks", RequestState.RUNNING);
    String host = stack.statuses().await("pool-blocks", RequestState.RUNNING).host();
    try (RestClient rest = stack.rest()) {
      assertThat(new Pools(rest).tell(host, StokerStack.POOL, "reset")).isTrue();
      assertThat(new Pools(rest).tell(host, "nowhere", "reset")).isFalse();
    }

    RequestStatus end = stack.statuses().awaitEnd("pool-blocks");

    assertThat(end.state()).isEqualTo(RequestState.CANCELLED);
    assertThat(end.code()).isEqualTo(Code.POOL_RESET);
    stack.post(task("pool-after", "plain"));
    assertThat(stack.statuses().awaitEnd("pool-after").state()).isEqualTo(RequestState.SUCCEEDED);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              List<JsonNode> pools = pools();
              assertThat(sum(pools, "processed")).isEqualTo(sum(pools, "queued")).isPositive();
            });
  }
}
