package io.stoker.dispatcher.service.postgres;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.stoker.common.json.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Holds a dispatcher back while its database is not migrated, or is none of Stoker's: as a member
 * of its consumer groups it would keep partitions from replicas that can work. So do brokers that
 * speak otherwise than it would. Health is answered meanwhile. Who is away holds nobody back: that
 * passes, and REST has things to say.
 */
public final class StartGate {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int SECONDS_TO_CONNECT = 5;

  /** The check of health that tells of it later, too. */
  private static final String KAFKA = "kafka";

  private static final int SECONDS_TO_ANSWER = 20;

  private final Schema needed = Schema.ofThisBuild();
  private final DatabaseAddress address;
  private final Supplier<Optional<String>> kafka;
  private final InetSocketAddress http;

  /** What was found last. */
  private volatile Problem told = new Problem("", "");

  /**
   * @param check of health, to which it belongs
   */
  private record Problem(String check, String sentence) {}

  /**
   * @param kafka what brokers speak otherwise than this dispatcher
   * @param http where health is served
   */
  public StartGate(
      DatabaseAddress address, Supplier<Optional<String>> kafka, InetSocketAddress http) {
    this.address = address;
    this.kafka = kafka;
    this.http = http;
  }

  /** Returns once nothing is known that keeps a dispatcher from working. */
  public void pass() {
    Optional<Problem> problem = look();
    if (problem.isEmpty()) {
      return;
    }
    say(problem.get());
    Optional<HttpServer> page = serve();
    try {
      while (problem.isPresent()) {
        if (!problem.get().equals(told)) {
          say(problem.get());
        }
        LockSupport.parkNanos(PAUSE.toNanos());
        problem = look();
      }
      System.err.println("the start goes on");
    } finally {
      page.ifPresent(server -> server.stop(0));
    }
  }

  private void say(Problem problem) {
    told = problem;
    System.err.printf("nothing is taken yet: %s%n", problem.sentence());
  }

  private Optional<Problem> look() {
    return database()
        .map(problem -> new Problem(SchemaHealth.NAME, problem))
        .or(() -> kafka.get().map(problem -> new Problem(KAFKA, problem)));
  }

  /** What the first server says that answers; servers of a fail-over are separated by commas. */
  private Optional<String> database() {
    for (DatabaseAddress server : address.servers()) {
      try (Connection connection = server.connect(SECONDS_TO_CONNECT, SECONDS_TO_ANSWER)) {
        List<String> columns = column(connection, Schema.COLUMNS);
        return needed.problem(versions(connection), columns);
      } catch (SQLException e) {
        Optional<String> problem = server.tls().problem(e).or(() -> Schema.problem(e));
        if (problem.isPresent()) {
          return problem;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<Collection<String>> versions(Connection connection) throws SQLException {
    try {
      return Optional.of(column(connection, Schema.VERSIONS));
    } catch (SQLException e) {
      if (Schema.MAY_NOT.equals(e.getSQLState())) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static List<String> column(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> column = new ArrayList<>();
      while (rows.next()) {
        column.add(rows.getString(1));
      }
      return column;
    }
  }

  /** Nothing if the port is taken: that is told by the dispatcher itself, once it starts. */
  private Optional<HttpServer> serve() {
    try {
      HttpServer server = HttpServer.create(http, 0);
      server.createContext(
          "/q/health/live", exchange -> send(exchange, 200, Map.of("status", "UP")));
      server.createContext("/", exchange -> send(exchange, 503, down()));
      server.start();
      return Optional.of(server);
    } catch (IOException e) {
      System.err.printf("health cannot be served at %s: %s%n", http, e.getMessage());
      return Optional.empty();
    }
  }

  private Map<String, Object> down() {
    Problem problem = told;
    Map<String, Object> check =
        Map.of(
            "name",
            problem.check(),
            "status",
            "DOWN",
            "data",
            Map.of("needed", needed.version(), "problem", problem.sentence()));
    return Map.of("status", "DOWN", "checks", List.of(check));
  }

  private static void send(HttpExchange exchange, int status, Object body) throws IOException {
    try (exchange) {
      byte[] json = Json.bytes(body);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, json.length);
      exchange.getResponseBody().write(json);
    }
  }
}
