package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.store.Timers;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Timers that have not run out. */
public record TimerTable(StatelessSession session) implements Timers {
  private static final String SELECT =
      "select t.kind, t.request, t.due_at from timer t where t.due_at <= "
          + Queries.CLOCK_ONCE
          + " and t.kind < "
          + TimerRow.Kind.values().length
          + " and ";

  private static final Batch<TimerRow> ROWS =
      new Batch<TimerRow>("timer")
          .key("kind", "smallint", row -> row.kind().ordinal())
          .key("request", "text", TimerRow::request)
          .column("due_at", "bigint", TimerRow::dueAt);
  private static final Batch<TimerRow.Key> KEYS =
      new Batch<TimerRow.Key>("timer")
          .key("kind", "smallint", key -> key.kind().ordinal())
          .key("request", "text", TimerRow.Key::request);

  /**
   * Those that have run out by the database's clock, the longest ago first. Kinds that only a newer
   * build knows are left to it.
   *
   * @param except not these
   */
  @Override
  public Uni<List<TimerRow>> due(int limit, Collection<TimerRow.Key> except) {
    String sql =
        SELECT
            + "not cast(t.kind as text) || ' ' || t.request = any(cast(:keys as text[]))"
            + " order by t.due_at limit :limit";
    return Queries.list(
        session, sql, Map.of("keys", keys(except), "limit", limit), TimerTable::map);
  }

  /** Those of these that have run out, as they are now. */
  @Override
  public Uni<List<TimerRow>> stillDue(Collection<TimerRow.Key> keys) {
    String sql =
        SELECT
            + "t.request = any(cast(:requests as text[]))"
            + " and cast(t.kind as text) || ' ' || t.request = any(cast(:keys as text[]))"
            + " order by t.due_at";
    String[] requests = keys.stream().map(TimerRow.Key::request).toArray(String[]::new);
    return Queries.list(
        session, sql, Map.of("keys", keys(keys), "requests", requests), TimerTable::map);
  }

  private static String[] keys(Collection<TimerRow.Key> keys) {
    return keys.stream()
        .map(key -> key.kind().ordinal() + " " + key.request())
        .toArray(String[]::new);
  }

  private static TimerRow map(Row row) {
    return new TimerRow(TimerRow.Kind.values()[row.integer()], row.text(), row.bigint());
  }

  static Write insert(List<TimerRow> rows) {
    return ROWS.insert(rows, "(kind, request) do update set due_at = excluded.due_at");
  }

  static Write delete(List<TimerRow.Key> keys) {
    return KEYS.delete(keys);
  }
}
