package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.store.Clock;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** By how much the clock of all transactions is ahead of the database's wall clock. */
public record ClockTable(StatelessSession session) implements Clock {
  /**
   * A range is taken to be small, and is read by its index; of all that is beyond a place the
   * database would expect a third of the table.
   */
  private static final String TIMERS =
      """
      update timer t set due_at = t.due_at + :by from request r
      where r.seq >= %d * %s and r.seq < %d and t.request = r.id
      """
          .formatted(Arrival.PER_MS, Queries.CLOCK_ONCE, Long.MAX_VALUE);

  @Override
  public Uni<Shown> look() {
    return Queries.single(
        session,
        "select "
            + Queries.CLOCK
            + ", c.correction_ms, coalesce((select max(f.shown) from fleet f), 0) from clock c",
        Map.of(),
        row -> new Shown(row.bigint(), row.bigint(), row.bigint()));
  }

  /** Adds to the correction. */
  @Override
  public Uni<Void> correct(long byMs) {
    Map<String, Object> by = Map.of("by", byMs);
    Uni<Void> corrected =
        Queries.execute(session, "update clock set correction_ms = correction_ms + :by", by)
            .replaceWithVoid();
    return byMs >= 0
        ? corrected
        : corrected.chain(() -> Queries.execute(session, TIMERS, by)).replaceWithVoid();
  }
}
