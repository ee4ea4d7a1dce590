package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.PendingWork;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Asks in one statement what waits in the database for somebody to see to it. */
public final class PendingWorkQuery {
  private static final String LOOK =
      """
      select
        exists (select 1 from timer t where t.due_at <= c.now),
        exists (select 1 from attempt),
        exists (select 1 from ready),
        exists (select 1 from backoff b where b.due_at <= c.now + 1000),
        exists (select 1 from usage_entry),
        exists (select 1 from memory_entry),
        exists (select 1 from launch_failure),
        exists (select 1 from group_entry),
        exists (select 1 from line_entry),
        exists (select 1 from experiment e where e.ended_at is null),
        exists (select 1 from fan_out),
        exists (select 1 from due_status)
      from (select %s as now) c
      """
          .formatted(Queries.CLOCK);

  private PendingWorkQuery() {}

  public static Uni<PendingWork> look(StatelessSession session) {
    return Queries.single(session, LOOK, Map.of(), PendingWorkQuery::map);
  }

  private static PendingWork map(Row row) {
    return new PendingWork(
        row.flag(),
        row.flag(),
        row.flag(),
        row.flag(),
        row.flag(),
        row.flag(),
        row.flag(),
        row.flag(),
        row.flag(),
        row.flag(),
        row.flag(),
        row.flag());
  }
}
