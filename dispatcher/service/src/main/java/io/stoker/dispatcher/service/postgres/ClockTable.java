package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.Clock;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** By how much the clock of all transactions is ahead of the database's wall clock. */
public record ClockTable(StatelessSession session) implements Clock {

  /** Looks. */
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
    return Queries.execute(
            session, "update clock set correction_ms = correction_ms + :by", Map.of("by", byMs))
        .replaceWithVoid();
  }
}
