package io.stoker.dispatcher.service.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.Config;
import org.postgresql.Driver;

/**
 * The address of the database, for programs that work without a running dispatcher.
 *
 * @param url without credentials, as in {@code stoker.postgres.url}
 */
public record DatabaseAddress(String url, String user, String password, DatabaseTls tls) {
  /**
   * As configured.
   *
   * @throws IllegalArgumentException that names key and value, if something cannot be used
   */
  public static DatabaseAddress of(Config config) {
    String url =
        config
            .getOptionalValue("stoker.postgres.url", String.class)
            .orElse("postgresql://127.0.0.1:5432/stoker");
    return new DatabaseAddress(
        url,
        config.getOptionalValue("stoker.postgres.user", String.class).orElse("stoker"),
        config.getOptionalValue("stoker.postgres.password", String.class).orElse("stoker"),
        DatabaseTls.of(config, url));
  }

  /** Of each server; those of a fail-over are separated by commas. */
  public List<DatabaseAddress> servers() {
    return Stream.of(url.split(","))
        .map(one -> new DatabaseAddress(one.strip(), user, password, tls))
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
    Map<String, String> settings =
        Map.of(
            "connectTimeout", Integer.toString(connectS),
            "loginTimeout", Integer.toString(connectS),
            "socketTimeout", Integer.toString(answerS));
    SQLException failed = noServer();
    for (DatabaseAddress server : servers()) {
      try {
        return server.open(settings);
      } catch (SQLException e) {
        failed = e;
      }
    }
    throw failed;
  }

  /**
   * A connection of its own to this one server.
   *
   * @param settings the driver's own, beside those that are had from here
   */
  public Connection open(Map<String, String> settings) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.putAll(tls.jdbc());
    properties.putAll(settings);
    // Not by DriverManager, which knows the drivers of the system's class loader alone.
    Connection connection = new Driver().connect("jdbc:" + url, properties);
    if (connection == null) {
      throw noServer();
    }
    return connection;
  }

  private SQLException noServer() {
    return new SQLException("no URL of Postgres: " + url, "08001");
  }
}
