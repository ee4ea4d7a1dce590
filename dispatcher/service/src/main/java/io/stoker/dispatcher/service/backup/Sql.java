package io.stoker.dispatcher.service.backup;

import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import org.postgresql.Driver;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/** A connection to the database, which may be used for as long as it takes. */
final class Sql implements AutoCloseable {
  private static final String SECONDS_TO_CONNECT = "10";

  private final Connection connection;
  private final String url;

  private Sql(Connection connection, String url) {
    this.connection = connection;
    this.url = url;
  }

  /**
   * Connects to the first server that takes changes; servers of a fail-over are separated by
   * commas.
   */
  static Sql connect(DatabaseAddress address) throws SQLException {
    SQLException last = new SQLException("no URL of Postgres: " + address.url(), "08001");
    for (String url : address.url().split(",")) {
      try {
        Sql sql = new Sql(open(url.strip(), address), url.strip());
        if (sql.text("show transaction_read_only").equals("off")) {
          return sql;
        }
        sql.close();
        last = new SQLException("%s takes no changes, as a standby".formatted(url), "25006");
      } catch (SQLException e) {
        last = e;
      }
    }
    throw last;
  }

  private static Connection open(String url, DatabaseAddress address) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", address.user());
    properties.setProperty("password", address.password());
    properties.setProperty("connectTimeout", SECONDS_TO_CONNECT);
    properties.setProperty("loginTimeout", SECONDS_TO_CONNECT);
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("ApplicationName", "stoker-backup");
    // Not by DriverManager, which knows the drivers of the system's class loader alone.
    Connection connection = new Driver().connect("jdbc:" + url, properties);
    if (connection == null) {
      throw new SQLException("no URL of Postgres: " + url, "08001");
    }
    return connection;
  }

  /** Of the server that it is connected to. */
  String url() {
    return url;
  }

  /** Everything until the end sees the database as it is at the next statement. */
  void beginSnapshot() throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    connection.setReadOnly(true);
  }

  void begin() throws SQLException {
    connection.setAutoCommit(false);
  }

  void commit() throws SQLException {
    connection.commit();
    connection.setAutoCommit(true);
  }

  int run(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = prepared(sql, parameters)) {
      return statement.executeUpdate();
    }
  }

  /** The first column. */
  List<String> column(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = prepared(sql, parameters);
        ResultSet rows = statement.executeQuery()) {
      List<String> column = new ArrayList<>();
      while (rows.next()) {
        column.add(rows.getString(1));
      }
      return column;
    }
  }

  /** The first column of the only row. */
  String text(String sql, Object... parameters) throws SQLException {
    return column(sql, parameters).getFirst();
  }

  private PreparedStatement prepared(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  /**
   * Columns of a table in their order.
   *
   * @param table with its schema
   */
  List<String> columns(String table) throws SQLException {
    return column(
        "select attname from pg_attribute where attrelid = cast(? as regclass) and attnum > 0 and not"
            + " attisdropped order by attnum",
        table);
  }

  /** Rows, as Postgres gives them; how many there are. */
  long copyOut(String table, List<String> columns, OutputStream out)
      throws SQLException, IOException {
    String sql = "copy %s (%s) to stdout".formatted(table, quoted(columns));
    return new CopyManager((BaseConnection) connection).copyOut(sql, out);
  }

  /** Takes them in; how many there were. */
  long copyIn(String table, List<String> columns, InputStream rows)
      throws SQLException, IOException {
    return new CopyManager((BaseConnection) connection).copyIn(into(table, columns), rows, 1 << 16);
  }

  /** For rows that are made one by one. */
  CopyIn copyIn(String table, List<String> columns) throws SQLException {
    return new CopyManager((BaseConnection) connection).copyIn(into(table, columns));
  }

  private static String into(String table, List<String> columns) {
    return "copy %s (%s) from stdin".formatted(table, quoted(columns));
  }

  private static String quoted(List<String> names) {
    return names.stream().map(Sql::quoted).collect(Collectors.joining(", "));
  }

  static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
