package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.store.FanOuts;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Fan-outs that are not worked through yet. */
public record FanOutTable(StatelessSession session) implements FanOuts {
  private static final Batch<FanOutRow> ROWS =
      new Batch<FanOutRow>("fan_out")
          .key("kind", "smallint", row -> row.kind().ordinal())
          .key("subject", "text", FanOutRow::subject)
          .column("after", "text", FanOutRow::after);
  private static final Batch<FanOutRow.Key> KEYS =
      new Batch<FanOutRow.Key>("fan_out")
          .key("kind", "smallint", key -> key.kind().ordinal())
          .key("subject", "text", FanOutRow.Key::subject);

  /**
   * One that no other replica works on, until the end of the transaction. The row itself is left
   * unlocked: who starts it anew need not wait, nor be waited for, before {@link #lock}. Kinds that
   * only a newer build knows are left to it.
   *
   * @param except not these
   */
  @Override
  public Uni<Optional<FanOutRow.Key>> claim(Collection<FanOutRow.Key> except) {
    String others =
        except.isEmpty()
            ? ""
            : " and not cast(f.kind as text) || ' ' || f.subject = any(cast(:keys as text[]))";
    // In a select of its own, so that no lock is taken of one that is left out.
    String sql =
        "select f.kind, f.subject from (select * from fan_out f where f.kind < "
            + FanOutRow.Kind.values().length
            + others
            + " offset 0) f"
            + " where pg_try_advisory_xact_lock(hashtextextended(f.subject, f.kind)) limit 1";
    Map<String, Object> parameters = except.isEmpty() ? Map.of() : Map.of("keys", keys(except));
    return Queries.first(
        session, sql, parameters, row -> new FanOutRow.Key(kind(row.integer()), row.text()));
  }

  /** Locks a fan-out, if it is still to be worked through. */
  @Override
  public Uni<Optional<FanOutRow>> lock(FanOutRow.Key key) {
    String sql =
        "select f.kind, f.subject, f.after from fan_out f"
            + " where f.kind = cast(:kind as integer) and f.subject = :subject for update";
    return Queries.first(
        session,
        sql,
        Map.of("kind", key.kind().ordinal(), "subject", key.subject()),
        row -> new FanOutRow(kind(row.integer()), row.text(), row.text()));
  }

  private static String[] keys(Collection<FanOutRow.Key> keys) {
    return keys.stream()
        .map(key -> key.kind().ordinal() + " " + key.subject())
        .toArray(String[]::new);
  }

  private static FanOutRow.Kind kind(int ordinal) {
    return FanOutRow.Kind.values()[ordinal];
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
