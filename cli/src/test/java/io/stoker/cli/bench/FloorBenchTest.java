package io.stoker.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.Main;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Readiness;
import io.stoker.common.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The floors of a real Kafka and a real Postgres, measured small. */
class FloorBenchTest {
  @TempDir static Path folder;

  private static EmbeddedStack stack;

  @BeforeAll
  static void start() throws Exception {
    stack = EmbeddedStack.start(new DataFolder(folder.resolve("data")), StackOptions.BACKENDS_ONLY);
  }

  @AfterAll
  static void stop() throws Exception {
    stack.close();
  }

  @Test
  void floor_onAStackThatIsThere_isReportedAndLeavesNothingBehind() throws Exception {
    // As many as take longer than the kernel's ticks, in which it counts the time of a process.
    JsonNode report =
        Json.read(bench("--workload", "floor", "--jobs", "12345", "--warm-up", "600", "--json"));

    assertThat(report.path("workload").asText()).isEqualTo("floor");
    for (String server : List.of("kafka", "postgres")) {
      JsonNode part = report.path("floor").path(server);
      assertThat(part.path("count").asInt()).isEqualTo(12_345);
      assertThat(part.path("perSecond").asDouble()).as(server).isPositive();
      assertThat(part.path("cpuMillis").asDouble()).as(server).isPositive();
    }
    Readiness.await(stack.child("kafka"), FloorBenchTest::topicsAreGone, Duration.ofSeconds(60));
    assertThat(tables()).isZero();
  }

  @Test
  void floor_forPeople_isATable() {
    assertThat(bench("--workload", "floor", "--jobs", "1000", "--warm-up", "0"))
        .containsPattern("kafka +[\\d,]+ +\\d+\\.\\d{3} +a record written and read")
        .containsPattern("postgres +[\\d,]+ +\\d+\\.\\d{3} +a row inserted and updated twice");
  }

  @Test
  void aTransaction_heldOpen_seesWhatWasThereUntilItIsLetGo() throws Exception {
    try (StackDatabase database = StackDatabase.open(stack.info().postgres())) {
      assertThat(held()).isZero();
      database.hold();
      assertThat(held()).isOne();
      assertThat(database.held().bytes()).isNotNegative();
      database.letGo();
      assertThat(held()).isZero();
    }
  }

  @Test
  void floorBeside_aWorkloadWithoutARate_isRefused() {
    StringWriter err = new StringWriter();
    CommandLine commandLine = Main.commandLine().setErr(new PrintWriter(err, true));

    assertThat(commandLine.execute("bench", "--workload", "latency", "--floor"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("of latency no rate is measured");
  }

  private static String bench(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    List<String> all = new ArrayList<>(List.of("bench", "--data", stack.data().toString()));
    all.addAll(List.of(arguments));
    assertThat(commandLine.execute(all.toArray(String[]::new)))
        .as(err::toString)
        .isEqualTo(ExitCode.DONE);
    return out.toString();
  }

  /** The broker tells of them until it has heard that they are deleted. */
  private static void topicsAreGone() throws Exception {
    List<String> left = topics().stream().filter(name -> name.startsWith("bench-floor")).toList();
    if (!left.isEmpty()) {
      throw new IOException("left behind: " + left);
    }
  }

  private static List<String> topics() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.info().bootstrap()))) {
      return List.copyOf(admin.listTopics().names().get());
    }
  }

  private static int held() throws Exception {
    return count(
        "select count(*) from pg_stat_activity where state = 'idle in transaction' and backend_xmin"
            + " is not null");
  }

  private static int tables() throws Exception {
    return count("select count(*) from pg_tables where tablename like 'bench_floor%'");
  }

  private static int count(String sql) throws Exception {
    URI url = URI.create(stack.info().postgres());
    try (Connection connection = StackDatabase.connect(url, "postgres");
        ResultSet found = connection.createStatement().executeQuery(sql)) {
      found.next();
      return found.getInt(1);
    }
  }
}
