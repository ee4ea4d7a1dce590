package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.e2e.cli.Stoker.Ended;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A load that stays the same, on a stack that is started for it, with a transaction held open. */
@Timeout(1_200)
class SteadyBenchTest {
  private static final int JOBS = 40;
  private static final int PER_SECOND = 10;
  private static final int WINDOWS = 10;

  @TempDir Path folder;

  @Test
  void steady_whileATransactionIsHeldOpen_tellsOfEachTenthAndOfAllJobs() throws Exception {
    Ended bench =
        new Stoker(folder.resolve("data"), folder)
            .run(
                "bench",
                "--workload=steady",
                "--jobs=" + JOBS,
                "--per-second=" + PER_SECOND,
                "--warm-up=20",
                "--hold-transaction",
                "--json");

    assertThat(bench.exitCode()).as(bench.err()).isZero();
    JsonNode steady = Json.read(bench.out()).path("steady");
    assertThat(steady.path("askedPerSecond").asInt()).isEqualTo(PER_SECOND);
    assertThat(steady.path("behindSeconds").isNumber()).isTrue();
    List<JsonNode> windows = List.copyOf(steady.path("windows").findParents("perSecond"));
    assertThat(windows).hasSize(WINDOWS);
    assertThat(windows).allMatch(window -> window.path("databaseMiB").isNumber());
    assertThat(windows).allMatch(window -> window.path("deadRows").isNumber());
    assertThat(windows.stream().map(window -> window.path("held").asBoolean()))
        .containsExactly(false, false, true, true, true, true, true, true, false, false);
    double ended =
        windows.stream().mapToDouble(window -> window.path("perSecond").asDouble()).sum()
            * JOBS
            / PER_SECOND
            / WINDOWS;
    assertThat(ended).as("jobs that ended in time, which may be none").isBetween(0.0, JOBS + 1.0);
  }
}
