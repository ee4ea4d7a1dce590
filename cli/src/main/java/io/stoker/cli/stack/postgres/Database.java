package io.stoker.cli.stack.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/**
 * A database of the embedded cluster.
 *
 * @param name of the database
 */
public record Database(int port, String password, String name) {
  /** What the dispatcher calls {@code stoker.postgres.url}. */
  public String url() {
    return "postgresql://127.0.0.1:%d/%s".formatted(port, name);
  }

  /** The same with user and password, as people and tools take it. */
  public String urlWithCredentials() {
    return "postgresql://%s:%s@127.0.0.1:%d/%s"
        .formatted(EmbeddedPostgres.USER, password, port, name);
  }

  /** Makes the database if it is not there; fails while the server does not serve. */
  public void createIfMissing() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      try (ResultSet found =
          statement.executeQuery(
              "select 1 from pg_database where datname = '%s'".formatted(name))) {
        if (found.next()) {
          return;
        }
      }
      statement.execute("create database \"%s\"".formatted(name));
    }
  }

  private Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", EmbeddedPostgres.USER);
    properties.setProperty("password", password);
    properties.setProperty("connectTimeout", "2");
    properties.setProperty("socketTimeout", "20");
    properties.setProperty("sslmode", "disable");
    properties.setProperty("gssEncMode", "disable");
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port), properties);
  }
}
