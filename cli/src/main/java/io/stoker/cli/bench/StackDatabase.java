package io.stoker.cli.bench;

import io.stoker.cli.outcome.CliException;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Properties;

/**
 * The database of a stack of this machine: how much is in it, and a transaction held open on it.
 */
final class StackDatabase implements AutoCloseable {
  private static final String ROWS_AND_SIZE =
      "select sum(n_dead_tup), sum(pg_total_relation_size(relid)) from pg_stat_user_tables";

  private final URI url;
  private final Connection connection;
  private Optional<Connection> holding = Optional.empty();

  private StackDatabase(URI url, Connection connection) {
    this.url = url;
    this.connection = connection;
  }

  /**
   * @param url with user and password
   */
  static StackDatabase open(String url) {
    URI at = URI.create(url);
    try {
      return new StackDatabase(at, connect(at, name(at)));
    } catch (SQLException e) {
      throw trouble(e);
    }
  }

  /** A session of one of the cluster's databases. */
  static Connection connect(URI url, String database) throws SQLException {
    String[] user = url.getUserInfo().split(":", 2);
    Properties properties = new Properties();
    properties.setProperty("user", user[0]);
    properties.setProperty("password", user[1]);
    properties.setProperty("connectTimeout", "5");
    properties.setProperty("socketTimeout", "30");
    properties.setProperty("sslmode", "disable");
    properties.setProperty("gssEncMode", "disable");
    return DriverManager.getConnection(
        "jdbc:postgresql://%s:%d/%s".formatted(url.getHost(), url.getPort(), database), properties);
  }

  private static String name(URI url) {
    return url.getPath().substring(1);
  }

  /**
   * What is in it.
   *
   * @param dead versions of rows that nobody sees any more and that are not cleared away, as
   *     Postgres counts them
   * @param bytes of all tables and indexes
   */
  record Held(long dead, long bytes) {}

  Held held() {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(ROWS_AND_SIZE)) {
      rows.next();
      return new Held(rows.getLong(1), rows.getLong(2));
    } catch (SQLException e) {
      throw trouble(e);
    }
  }

  /**
   * Begins a transaction that sees what is there now, so that nothing of it can be cleared away.
   */
  void hold() {
    try {
      Connection other = connect(url, name(url));
      holding = Optional.of(other);
      other.setAutoCommit(false);
      other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (Statement statement = other.createStatement()) {
        statement.execute("select 1"); // what it sees is settled by its first statement
      }
    } catch (SQLException e) {
      throw trouble(e);
    }
  }

  /** Ends that transaction; nothing if there is none. */
  void letGo() {
    try {
      if (holding.isPresent()) {
        holding.get().close();
      }
    } catch (SQLException e) {
      throw trouble(e);
    }
    holding = Optional.empty();
  }

  private static CliException trouble(SQLException e) {
    return CliException.failed("the stack's database: " + e.getMessage(), e);
  }

  @Override
  public void close() {
    letGo();
    try {
      connection.close();
    } catch (SQLException e) {
      throw trouble(e);
    }
  }
}
