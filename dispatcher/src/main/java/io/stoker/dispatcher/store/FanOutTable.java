package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.FanOutRow;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Fan-outs that are not worked through yet. */
public final class FanOutTable {
  private static final Batch<FanOutRow> ROWS =
      new Batch<FanOutRow>("fan_out")
          .key("kind", "smallint", row -> row.kind().ordinal())
          .key("subject", "text", FanOutRow::subject)
          .column("after", "text", FanOutRow::after);
  private static final Batch<FanOutRow.Key> KEYS =
      new Batch<FanOutRow.Key>("fan_out")
          .key("kind", "smallint", key -> key.kind().ordinal())
          .key("subject", "text", FanOutRow.Key::subject);

  private FanOutTable() {}

  /** One that no other replica works on. */
  public static Uni<List<FanOutRow>> lockSome(StatelessSession session, int limit) {
    String sql =
        "select f.kind, f.subject, f.after from fan_out f limit :limit for update skip locked";
    return Queries.list(
        session,
        sql,
        Map.of("limit", limit),
        row -> new FanOutRow(FanOutRow.Kind.values()[row.integer()], row.text(), row.text()));
  }

  static Write insert(List<FanOutRow> rows) {
    return ROWS.insert(rows, "(kind, subject) do update set after = ''");
  }

  static Write update(List<FanOutRow> rows) {
    return ROWS.update(rows);
  }

  static Write delete(List<FanOutRow.Key> keys) {
    return KEYS.delete(keys);
  }
}
