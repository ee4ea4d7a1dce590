package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.rest.Pools;
import io.stoker.cli.rest.RestClient;
import io.stoker.common.json.Json;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code stoker pool} on a stack of real processes. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class PoolCommandTest {
  private static final String HOST = "host-2";

  @TempDir Path folder;

  private final StokerStack stack;
  private Stoker stoker;

  PoolCommandTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void callTheStack() {
    stoker = new Stoker(stack.data().root(), folder);
    awaitState("SERVING");
  }

  private void awaitState(String state) {
    await("pool to be " + state).atMost(StatusLog.PATIENCE).until(() -> state().equals(state));
  }

  private String state() {
    try (RestClient rest = stack.rest()) {
      return new Pools(rest)
          .find(HOST, StokerStack.POOL)
          .map(pool -> pool.at("/report/state").asText())
          .orElse("unknown");
    }
  }

  private Ended done(String... arguments) throws Exception {
    Ended ended = stoker.run(arguments);
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    return ended;
  }

  @Test
  void showsPoolsAndSaysAllThatIsKnownOfOne() throws Exception {
    List<JsonNode> all = new ArrayList<>();
    for (String line : done("pool", "--json").out().lines().toList()) {
      all.add(Json.read(line));
    }
    assertThat(all)
        .anySatisfy(
            pool -> {
              assertThat(pool.path("host").asText()).isEqualTo(HOST);
              assertThat(pool.path("pool").asText()).isEqualTo(StokerStack.POOL);
            });
    assertThat(done("pool", "show", HOST, StokerStack.POOL).out())
        .contains("HOST", "WORKERS", HOST, "SERVING");
    JsonNode report = Json.read(done("pool", "report", HOST, StokerStack.POOL).out());
    assertThat(report.at("/report/session").asInt()).isPositive();
    assertThat(report.at("/report/queued").isIntegralNumber()).isTrue();
  }

  @Test
  void closesAndOpensAllPoolsOfAHost() throws Exception {
    try {
      assertThat(done("pool", "close", HOST, "--how", "abort").out().lines())
          .contains(StokerStack.POOL);
      awaitState("CLOSED");
    } finally {
      done("pool", "open", HOST);
    }
    awaitState("SERVING");
  }

  @Test
  void whatIsMissingOrUnknownIsNamed() throws Exception {
    Ended nothing = stoker.run("pool", "reset");
    assertThat(nothing.exitCode()).isEqualTo(2);
    assertThat(nothing.err()).contains("HOST and NAME are missing, expected with reset");
    Ended noName = stoker.run("pool", "report", HOST);
    assertThat(noName.exitCode()).isEqualTo(2);
    assertThat(noName.err()).contains("NAME is missing, expected with report");
    Ended noPool = stoker.run("pool", "drain", HOST, "nowhere");
    assertThat(noPool.exitCode()).isEqualTo(4);
    assertThat(noPool.err()).contains("host " + HOST + " has no pool nowhere");
    Ended noHost = stoker.run("pool", "drain", "nobody");
    assertThat(noHost.exitCode()).isEqualTo(4);
    assertThat(noHost.err()).contains("host nobody has no pools");
  }
}
