package io.stoker.e2e.stack;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Looks into a stack's database, for what is to be seen nowhere else. */
public final class StokerDatabase {
  private final String url;
  private final String user;
  private final String password;

  /**
   * @param address as {@code stoker info} prints it, e.g. {@code postgresql://user:pw@host:1/db}
   */
  StokerDatabase(String address) {
    URI uri = URI.create(address);
    String[] credentials = uri.getUserInfo().split(":", 2);
    url = "jdbc:postgresql://%s:%d%s".formatted(uri.getHost(), uri.getPort(), uri.getPath());
    user = credentials[0];
    password = credentials[1];
  }

  /** The first column of the first row, as text. */
  public String one(String sql, String... parameters) throws SQLException {
    List<String> column = column(sql, parameters);
    if (column.isEmpty()) {
      throw new AssertionError("no row: " + sql);
    }
    return column.get(0);
  }

  /** The first column, as text. */
  public List<String> column(String sql, String... parameters) throws SQLException {
    List<String> column = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url, user, password);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          column.add(rows.getString(1));
        }
      }
    }
    return column;
  }

  /** Runs a statement that answers nothing. */
  public void change(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, user, password);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The version under which each request's newest status is to be published. */
  public Map<String, Long> versions() throws SQLException {
    Map<String, Long> versions = new HashMap<>();
    try (Connection connection = DriverManager.getConnection(url, user, password);
        PreparedStatement statement =
            connection.prepareStatement(
                """
                select r.id, r.version + case when r.ended is null then coalesce(j.changes, 0) else 0 end
                from request r left join job j on j.id = r.job
                where r.spec is not null""");
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        versions.put(rows.getString(1), rows.getLong(2));
      }
    }
    return versions;
  }
}
