package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.Controls;
import java.time.Duration;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Control messages that had their effect; remembered for longer than their topic keeps them. */
public record ControlTable(StatelessSession session) implements Controls {
  private static final long KEPT_MS = Duration.ofDays(10).toMillis();
  private static final String NOTE =
      "with gone as (delete from control_done where done_at < "
          + Queries.CLOCK_ONCE
          + " - :kept) insert into control_done (id, done_at) values (:id, "
          + Queries.CLOCK
          + ") on conflict (id) do nothing returning id";

  /** Notes that a message has its effect in this transaction. False if it has had it before. */
  @Override
  public Uni<Boolean> first(String message) {
    return Queries.list(session, NOTE, Map.of("id", message, "kept", KEPT_MS), Row::text)
        .map(rows -> !rows.isEmpty());
  }
}
