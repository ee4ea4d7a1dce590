package io.stoker.dispatcher.service.backup;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.copy.CopyIn;

/** Puts rows into a table one by one, many of them with one message to the database. */
final class Rows implements AutoCloseable {
  private static final int AT_ONCE = 1 << 16;

  private final CopyIn copy;
  private final StringBuilder waiting = new StringBuilder();
  private long rows;

  Rows(Sql sql, String table, List<String> columns) throws SQLException {
    copy = sql.copyIn(table, columns);
  }

  /** The next row; null where there is nothing. */
  void add(Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      waiting.append(i == 0 ? "" : "\t");
      waiting.append(values[i] == null ? "\\N" : escaped(values[i].toString()));
    }
    waiting.append('\n');
    rows++;
    if (waiting.length() > AT_ONCE) {
      send();
    }
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\")
        .replace("\t", "\\t")
        .replace("\n", "\\n")
        .replace("\r", "\\r");
  }

  private void send() throws SQLException {
    byte[] bytes = waiting.toString().getBytes(StandardCharsets.UTF_8);
    copy.writeToCopy(bytes, 0, bytes.length);
    waiting.setLength(0);
  }

  long rows() {
    return rows;
  }

  /** All of them are there from now on. */
  void finish() throws SQLException {
    send();
    copy.endCopy();
  }

  @Override
  public void close() throws SQLException {
    if (copy.isActive()) {
      copy.cancelCopy();
    }
  }
}
