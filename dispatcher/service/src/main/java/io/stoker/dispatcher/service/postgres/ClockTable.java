package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** By how much the clock of all transactions is ahead of the database's wall clock. */
public final class ClockTable {
  private ClockTable() {}

  /**
   * What the clock shows.
   *
   * @param clock ms since 1970, with the correction
   * @param correction ms, negative where it is behind the wall clock
   * @param before what it showed when a fleet was last claimed; 0 if none has been
   */
  public record Shown(long clock, long correction, long before) {}

  /** Looks. */
  public static Uni<Shown> look(StatelessSession session) {
    return Queries.single(
        session,
        "select "
            + Queries.CLOCK
            + ", c.correction_ms, coalesce((select max(f.shown) from fleet f), 0) from clock c",
        Map.of(),
        row -> new Shown(row.bigint(), row.bigint(), row.bigint()));
  }

  /** Adds to the correction. */
  public static Uni<Void> correct(StatelessSession session, long byMs) {
    return Queries.execute(
            session, "update clock set correction_ms = correction_ms + :by", Map.of("by", byMs))
        .replaceWithVoid();
  }
}
