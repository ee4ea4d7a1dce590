package io.stoker.cli.bench;

import io.stoker.cli.outcome.CliException;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;

/**
 * A narrow row for each job, inserted and updated twice, 500 in a statement that is a transaction
 * of its own, in a table of its own beside the stack's database. Two sessions take turns, so that
 * one works while the other waits for the disk. Closing removes the table.
 */
final class PostgresFloor implements AutoCloseable {
  private static final int BATCH = 500;
  private static final int SESSIONS = 2;

  private final String table = "bench_floor_" + ProcessHandle.current().pid();
  private final List<Connection> connections = new ArrayList<>();
  private long made;

  private PostgresFloor() {}

  /**
   * Makes the table.
   *
   * @param url of the stack's database, with user and password
   */
  static PostgresFloor open(String url) {
    PostgresFloor floor = new PostgresFloor();
    try {
      for (int i = 0; i < SESSIONS; i++) {
        // Every cluster has this database; the stack's own is left alone.
        Connection connection = StackDatabase.connect(URI.create(url), "postgres");
        floor.connections.add(connection);
        // As the dispatcher's sessions: a plan that was made for an empty table is kept.
        floor.execute(connection, "set enable_seqscan = off");
      }
      floor.drop();
      // Two versions more of each row have room in its page, so that no index is touched.
      floor.execute(
          floor.connections.getFirst(),
          "create table %s (id uuid primary key, state smallint not null, host integer, at bigint not null) with (fillfactor = 40)"
              .formatted(floor.table));
      return floor;
    } catch (SQLException e) {
      floor.close();
      throw trouble(e);
    }
  }

  /** Inserts so many and updates each twice. */
  void run(int rows) {
    List<Thread> threads = new ArrayList<>();
    List<SQLException> problems = new ArrayList<>();
    List<UUID[]> batches = batches(made, rows);
    made += rows;
    for (int i = 0; i < SESSIONS; i++) {
      int first = i;
      threads.add(
          Thread.ofPlatform()
              .name("postgres-floor-" + i)
              .start(
                  () -> {
                    try {
                      run(connections.get(first), batches, first);
                    } catch (SQLException e) {
                      synchronized (problems) {
                        problems.add(e);
                      }
                    }
                  }));
    }
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.interrupted();
    }
    if (!problems.isEmpty()) {
      throw trouble(problems.getFirst());
    }
  }

  /** Ids of rows from {@code first} on, in full batches and a last one of what is left. */
  static List<UUID[]> batches(long first, int rows) {
    List<UUID[]> batches = new ArrayList<>();
    for (long from = first; from < first + rows; from += BATCH) {
      batches.add(
          LongStream.range(from, Math.min(from + BATCH, first + rows))
              .mapToObj(PostgresFloor::id)
              .toArray(UUID[]::new));
    }
    return batches;
  }

  /** All over the index, as ids are that others choose (Fibonacci hashing: Knuth, TAOCP 6.4). */
  private static UUID id(long row) {
    return new UUID(row * 0x9E3779B97F4A7C15L, row);
  }

  private void run(Connection connection, List<UUID[]> batches, int first) throws SQLException {
    try (PreparedStatement insert =
            connection.prepareStatement(
                "insert into %s select id, 0, null, ? from unnest(?::uuid[]) id".formatted(table));
        PreparedStatement place =
            connection.prepareStatement(
                "update %s set state = 1, host = 1, at = ? where id = any (?::uuid[])"
                    .formatted(table));
        PreparedStatement end =
            connection.prepareStatement(
                "update %s set state = 2, at = ? where id = any (?::uuid[])".formatted(table))) {
      for (int i = first; i < batches.size(); i += SESSIONS) {
        for (PreparedStatement step : List.of(insert, place, end)) {
          step.setLong(1, System.currentTimeMillis());
          step.setArray(2, connection.createArrayOf("uuid", batches.get(i)));
          int done = step.executeUpdate();
          if (done != batches.get(i).length) {
            throw new SQLException(
                "%d of %d rows were written".formatted(done, batches.get(i).length));
          }
        }
      }
    }
  }

  private void drop() throws SQLException {
    execute(connections.getFirst(), "drop table if exists " + table);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static CliException trouble(SQLException e) {
    return CliException.failed("Postgres' floor cannot be measured: " + e.getMessage(), e);
  }

  @Override
  public void close() {
    try {
      if (!connections.isEmpty()) {
        drop();
      }
      for (Connection connection : connections) {
        connection.close();
      }
    } catch (SQLException e) {
      throw trouble(e);
    }
  }
}
