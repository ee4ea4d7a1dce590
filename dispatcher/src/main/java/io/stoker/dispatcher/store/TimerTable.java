package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.TimerRow;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Timers that have not run out. */
public final class TimerTable {
  private static final Batch<TimerRow> ROWS =
      new Batch<TimerRow>("timer")
          .key("kind", "smallint", row -> row.kind().ordinal())
          .key("request", "text", TimerRow::request)
          .column("due_at", "bigint", TimerRow::dueAt);
  private static final Batch<TimerRow.Key> KEYS =
      new Batch<TimerRow.Key>("timer")
          .key("kind", "smallint", key -> key.kind().ordinal())
          .key("request", "text", TimerRow.Key::request);

  private TimerTable() {}

  /** Those that have run out by the database's clock, the longest ago first. */
  public static Uni<List<TimerRow>> due(StatelessSession session, int limit) {
    return Queries.list(
        session,
        "select t.kind, t.request, t.due_at from timer t where t.due_at <= "
            + Queries.CLOCK
            + " order by t.due_at limit :limit",
        Map.of("limit", limit),
        row -> new TimerRow(TimerRow.Kind.values()[row.integer()], row.text(), row.bigint()));
  }

  static Write insert(List<TimerRow> rows) {
    return ROWS.insert(rows, "(kind, request) do update set due_at = excluded.due_at");
  }

  static Write delete(List<TimerRow.Key> keys) {
    return KEYS.delete(keys);
  }
}
