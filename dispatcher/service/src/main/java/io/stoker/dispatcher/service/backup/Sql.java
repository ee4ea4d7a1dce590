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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/** A connection to the database, which may be used for as long as it takes. */
final class Sql implements AutoCloseable {
  private static final Map<String, String> SETTINGS =
      Map.of(
          "connectTimeout", "10",
          "loginTimeout", "10",
          "tcpKeepAlive", "true",
          "ApplicationName", "stoker-backup");

  /** Ends that a user or a database has for others do not hold here. */
  private static final String PATIENCE =
      "select set_config(name, '0', false) from pg_settings where name in ('statement_timeout',"
          + " 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')";

  private final Connection connection;
  private final DatabaseAddress server;

  private Sql(Connection connection, DatabaseAddress server) {
    this.connection = connection;
    this.server = server;
  }

  /**
   * Connects to the first server that takes changes; servers of a fail-over are separated by
   * commas.
   */
  static Sql connect(DatabaseAddress address) throws SQLException {
    SQLException last = new SQLException("no URL of Postgres: " + address.url(), "08001");
    for (DatabaseAddress server : address.servers()) {
      try {
        Sql sql = new Sql(server.open(SETTINGS), server);
        if (sql.takesChanges()) {
          return sql;
        }
        last =
            new SQLException("%s takes no changes, as a standby".formatted(server.url()), "25006");
      } catch (SQLException e) {
        last = e;
      }
    }
    throw last;
  }

  /** If it takes none, or does not say, nobody needs the connection. */
  private boolean takesChanges() throws SQLException {
    boolean takes = false;
    try {
      column(PATIENCE);
      takes = text("show transaction_read_only").equals("off");
    } finally {
      if (!takes) {
        close();
      }
    }
    return takes;
  }

  /** That it is connected to. */
  DatabaseAddress server() {
    return server;
  }

  /**
   * Everything until the end sees the database as it is at the next statement. Tables that were
   * emptied or replaced after that would look empty, so nobody can do that from here on.
   */
  void beginSnapshot(Collection<String> tables) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    connection.setReadOnly(true);
    run("lock table %s in access share mode".formatted(quoted(tables)));
  }

  void begin() throws SQLException {
    connection.setAutoCommit(false);
  }

  void commit() throws SQLException {
    connection.commit();
    connection.setAutoCommit(true);
  }

  /** Ends what was begun, if something was. */
  void rollback() throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.rollback();
      connection.setAutoCommit(true);
    }
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

  private static String quoted(Collection<String> names) {
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
