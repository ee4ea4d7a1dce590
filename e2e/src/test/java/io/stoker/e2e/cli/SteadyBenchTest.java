package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.cli.Stoker.Running;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A load that stays the same, on a stack that is started for it. Only in a soak is it long, and
 * only there are rates and rows compared: see the profile.
 */
class SteadyBenchTest {
  private static final boolean SOAK = Boolean.getBoolean("stoker.soak");
  private static final int JOBS = Integer.getInteger("stoker.soak.steady-jobs", 40);
  private static final int PER_SECOND = Integer.getInteger("stoker.soak.steady-per-second", 10);
  private static final int WINDOWS = 10;

  /** A stack's start and warm-up, and its end. */
  private static final int AROUND_SECONDS = 600;

  @TempDir Path folder;

  private record Window(double perSecond, double databaseMiB, double deadRows, boolean held) {
    static Window of(JsonNode json) {
      assertThat(json.path("databaseMiB").isNumber()).isTrue();
      assertThat(json.path("deadRows").isNumber()).isTrue();
      return new Window(
          json.path("perSecond").asDouble(),
          json.path("databaseMiB").asDouble(),
          json.path("deadRows").asDouble(),
          json.path("held").asBoolean());
    }
  }

  @Test
  void steady_whileATransactionIsHeldOpen_keepsItsRateAndIsNormalSoonAfter() throws Exception {
    // What retention deletes is dead rows, too.
    List<Window> windows = windows(retention("1m", "5s"), JOBS, "--hold-transaction");

    assertThat(windows)
        .extracting(Window::held)
        .containsExactly(false, false, true, true, true, true, true, true, false, false);
    double ended =
        windows.stream().mapToDouble(Window::perSecond).sum() * JOBS / PER_SECOND / WINDOWS;
    assertThat(ended).as("jobs that ended in time, which may be none").isBetween(0.0, JOBS + 1.0);
    if (SOAK) {
      assertThat(windows).allMatch(window -> window.perSecond() >= .9 * PER_SECOND);
      double most = windows.stream().mapToDouble(Window::deadRows).max().orElseThrow();
      assertThat(windows.getLast().deadRows()).isLessThan(.2 * most);
    }
  }

  /** An hour, where the other takes 1,000 s. */
  @Test
  @EnabledIfSystemProperty(named = "stoker.soak", matches = "true")
  void steady_withRetention_isAsFastAtItsEnd_andItsDatabaseStaysAsLarge() throws Exception {
    List<Window> windows = windows(retention("10m", "1m"), JOBS / 10 * 36);

    assertThat(windows.getLast().perSecond())
        .as("%s", windows)
        .isGreaterThan(.98 * windows.getFirst().perSecond());
    assertThat(windows.getLast().databaseMiB())
        .as("%s", windows)
        .isLessThan(1.1 * windows.get(2).databaseMiB());
  }

  private static Map<String, String> retention(String kept, String every) {
    return Map.of(
        "STOKER_RETENTION_REQUESTS", kept,
        "STOKER_RETENTION_RESULTS", kept,
        "STOKER_RETENTION_EVERY", every);
  }

  private List<Window> windows(Map<String, String> variables, int jobs, String... more)
      throws Exception {
    String[] command =
        Stream.concat(
                Stream.of(
                    "bench",
                    "--workload=steady",
                    "--jobs=" + jobs,
                    "--per-second=" + PER_SECOND,
                    "--json"),
                // The usual one is long, and says nothing here.
                SOAK ? Stream.of(more) : Stream.concat(Stream.of("--warm-up=20"), Stream.of(more)))
            .toArray(String[]::new);
    Running running = new Stoker(folder.resolve("data"), folder, variables).start("", command);
    running.process().waitFor(jobs / PER_SECOND + AROUND_SECONDS, TimeUnit.SECONDS);
    Ended bench = running.await();

    assertThat(bench.exitCode()).as(bench.err()).isZero();
    JsonNode steady = Json.read(bench.out()).path("steady");
    assertThat(steady.path("askedPerSecond").asInt()).isEqualTo(PER_SECOND);
    assertThat(steady.path("behindSeconds").isNumber()).isTrue();
    List<JsonNode> windows = List.copyOf(steady.path("windows").findParents("perSecond"));
    assertThat(windows).hasSize(WINDOWS);
    return windows.stream().map(Window::of).toList();
  }
}
