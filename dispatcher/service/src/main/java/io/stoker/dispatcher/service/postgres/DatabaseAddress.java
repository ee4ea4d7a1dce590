package io.stoker.dispatcher.service.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.Config;
import org.postgresql.Driver;

/**
 * Where the database is, for what does without the running dispatcher.
 *
 * @param url without credentials, as in {@code stoker.postgres.url}
 */
public record DatabaseAddress(String url, String user, String password) {
  /** As configured. */
  public static DatabaseAddress of(Config config) {
    return new DatabaseAddress(
        config
            .getOptionalValue("stoker.postgres.url", String.class)
            .orElse("postgresql://127.0.0.1:5432/stoker"),
        config.getOptionalValue("stoker.postgres.user", String.class).orElse("stoker"),
        config.getOptionalValue("stoker.postgres.password", String.class).orElse("stoker"));
  }

  /** Of each server; those of a fail-over are separated by commas. */
  List<DatabaseAddress> servers() {
    return Stream.of(url.split(","))
        .map(one -> new DatabaseAddress(one.strip(), user, password))
        .toList();
  }

  /**
   * A connection of its own to the first server that takes one.
   *
   * @param connectS seconds that a server may take for that
   * @param answerS seconds without a byte after which the connection breaks
   * @throws SQLException if none does
   */
  public Connection connect(int connectS, int answerS) throws SQLException {
    SQLException failed = new SQLException("no URL of Postgres: " + url);
    for (DatabaseAddress server : servers()) {
      try {
        return server.connectHere(connectS, answerS);
      } catch (SQLException e) {
        failed = e;
      }
    }
    throw failed;
  }

  private Connection connectHere(int connectS, int answerS) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("connectTimeout", Integer.toString(connectS));
    properties.setProperty("loginTimeout", Integer.toString(connectS));
    properties.setProperty("socketTimeout", Integer.toString(answerS));
    // Not by DriverManager, which knows the drivers of the system's class loader alone.
    Connection connection = new Driver().connect("jdbc:" + url, properties);
    if (connection == null) {
      throw new SQLException("no URL of Postgres: " + url);
    }
    return connection;
  }
}
