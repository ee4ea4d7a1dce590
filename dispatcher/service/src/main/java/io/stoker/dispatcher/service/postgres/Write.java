package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * A statement that changes rows and is still to be run, alone or with others in one round trip.
 *
 * @param name unlike that of any other statement it may run with
 * @param sql ends where {@code returning} may follow
 * @param parameters their names start with {@code name}
 * @param rows how many rows it is about
 */
record Write(String name, String sql, Map<String, Object[]> parameters, int rows) {
  /** Changes nothing, and costs nothing. */
  static final Write NOTHING = new Write("nothing", "", Map.of(), 0);

  /** Statements that were put together, by their parts. */
  private static final Made<List<String>, String> TOGETHER = new Made<>(1_000);

  /**
   * Runs statements in one round trip, as parts of one. They all see the rows as they were before,
   * so no two of them may change the same row, nor depend on each other through a unique index.
   *
   * @return how many rows each changed, in order
   */
  static Uni<List<Integer>> run(StatelessSession session, List<Write> writes) {
    return done(session, writes).map(Done::counts);
  }

  /**
   * What came of some.
   *
   * @param counts how many rows each changed, in order
   * @param by who wrote them; null where there was nothing to write
   */
  record Done(List<Integer> counts, Writer by) {}

  /** As {@link #run}. */
  static Uni<Done> done(StatelessSession session, List<Write> writes) {
    List<Write> wanted = writes.stream().filter(write -> write.rows() > 0).toList();
    if (wanted.isEmpty()) {
      return Uni.createFrom().item(new Done(writes.stream().map(write -> 0).toList(), null));
    }
    return Queries.single(
        session,
        TOGETHER.of(wanted.stream().map(Write::sql).toList(), parts -> sql(wanted)),
        parameters(wanted),
        row -> new Done(counts(row, writes), Writer.of(row)));
  }

  private static String sql(List<Write> writes) {
    StringBuilder with = new StringBuilder("with ");
    StringBuilder counts = new StringBuilder(" select ");
    for (int i = 0; i < writes.size(); i++) {
      Write write = writes.get(i);
      String separator = i == 0 ? "" : ", ";
      with.append(separator).append(write.name()).append(" as (").append(write.sql());
      with.append(" returning 1)");
      counts.append(separator).append("(select cast(count(*) as integer) from ");
      counts.append(write.name()).append(")");
    }
    return with.append(counts).append(", " + Writer.COLUMNS).toString();
  }

  private static Map<String, Object> parameters(List<Write> writes) {
    Map<String, Object> parameters = new HashMap<>();
    writes.forEach(write -> parameters.putAll(write.parameters()));
    return parameters;
  }

  private static List<Integer> counts(Row row, List<Write> writes) {
    List<Integer> counts = new ArrayList<>();
    for (Write write : writes) {
      counts.add(write.rows() == 0 ? 0 : row.integer());
    }
    return counts;
  }
}
