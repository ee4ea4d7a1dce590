package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Statements whose plans were made while their table was empty, as a vacuum of then has noted, and
 * that are run once it is full. Told by the rows that are looked at, of the whole of a plan.
 */
@QuarkusTest
@OnRealServices
class BatchPlanTest {
  private static final int ROWS = 5_000;
  private static final int CHANGED = 100;

  private record Pair(String a, int b, String text) {}

  private record One(String a) {}

  private static final Batch<Pair> PAIRS =
      new Batch<Pair>("batch_pair")
          .emptyNowAndThen()
          .key("a", "text", Pair::a)
          .key("b", "integer", Pair::b)
          .column("t", "text", Pair::text);
  private static final Batch<Pair> KEYS =
      new Batch<Pair>("batch_pair").key("a", "text", Pair::a).key("b", "integer", Pair::b);
  private static final Batch<One> ONES = new Batch<One>("batch_one").key("a", "text", One::a);

  private Connection connection;

  @BeforeEach
  void makeTables() throws SQLException {
    Config config = ConfigProvider.getConfig();
    connection =
        DriverManager.getConnection(
            "jdbc:" + config.getValue("stoker.postgres.url", String.class),
            config.getValue("stoker.postgres.user", String.class),
            config.getValue("stoker.postgres.password", String.class));
    for (String setting : List.of("enable_seqscan", "enable_hashjoin", "enable_mergejoin")) {
      execute("set %s = off".formatted(setting));
    }
    execute("set plan_cache_mode = force_generic_plan");
    execute("create table batch_pair (a text, b integer, t text, primary key (a, b))");
    execute("create table batch_one (a text primary key)");
    execute("vacuum analyze batch_pair");
    execute("vacuum analyze batch_one");
  }

  @AfterEach
  void dropTables() throws SQLException {
    execute("drop table batch_pair, batch_one");
    connection.close();
  }

  private static List<Pair> changed() {
    return IntStream.range(ROWS - CHANGED, ROWS)
        .mapToObj(i -> new Pair("a" + i, i, "changed"))
        .toList();
  }

  @Test
  void deletesGoByTheIndex() throws SQLException {
    assertThat(looked(KEYS.delete(changed()))).isLessThan(10L * CHANGED);
    assertThat(count("batch_pair")).isEqualTo(ROWS - CHANGED);
  }

  @Test
  void deletesByOneKeyGoByTheIndex() throws SQLException {
    List<One> ones = changed().stream().map(pair -> new One(pair.a())).toList();

    assertThat(looked(ONES.delete(ones))).isLessThan(10L * CHANGED);
    assertThat(count("batch_one")).isEqualTo(ROWS - CHANGED);
  }

  @Test
  void changesGoByTheIndex() throws SQLException {
    assertThat(looked(PAIRS.update(changed()))).isLessThan(10L * CHANGED);
    assertThat(count("batch_pair where t = 'changed'")).isEqualTo(CHANGED);
  }

  /** Rows that the parts of the plan went through, with those that they left out. */
  private long looked(Write write) throws SQLException {
    io.stoker.dispatcher.service.postgres.Statement statement =
        io.stoker.dispatcher.service.postgres.Statement.of(write.sql());
    String types =
        statement.names().stream()
            .map(name -> write.parameters().get(name) instanceof String[] ? "text[]" : "integer[]")
            .collect(Collectors.joining(", "));
    String values =
        statement.names().stream()
            .map(name -> literal(write.parameters(), name))
            .collect(Collectors.joining(", "));
    String empty = statement.names().stream().map(name -> "'{}'").collect(Collectors.joining(", "));
    execute("prepare s (%s) as %s".formatted(types, statement.sql()));
    execute("execute s (%s)".formatted(empty));
    execute(
        "insert into batch_pair select 'a' || i, i, 'new' from generate_series(0, %d - 1) i"
            .formatted(ROWS));
    execute(
        "insert into batch_one select 'a' || i from generate_series(0, %d - 1) i".formatted(ROWS));
    long looked = 0;
    try (Statement explain = connection.createStatement();
        ResultSet lines =
            explain.executeQuery(
                "explain (analyze, timing off) execute s (%s)".formatted(values))) {
      while (lines.next()) {
        looked += looked(lines.getString(1));
      }
    }
    execute("deallocate s");
    return looked;
  }

  private static long looked(String line) {
    if (line.contains("Rows Removed by")) {
      return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
    }
    if (!line.contains("actual rows=")) {
      return 0;
    }
    String[] parts = line.substring(line.indexOf("actual rows=")).split("[= )]+");
    return (long) (Double.parseDouble(parts[2]) * Long.parseLong(parts[4]));
  }

  private static String literal(Map<String, Object[]> parameters, String name) {
    return Arrays.stream(parameters.get(name))
        .map(Object::toString)
        .collect(Collectors.joining(",", "'{", "}'"));
  }

  private int count(String from) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from " + from)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
