package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * What waits in the database for somebody to see to it, asked in one statement: a stack at rest
 * then costs one look a second instead of one of everybody who may have something to do. Each
 * answer comes from the first row of a table or an index, however much waits.
 *
 * @param timers some have run out
 * @param attempts some are open
 * @param line jobs wait to be placed
 * @param backoff a failed job's wait is over, or will be within a second
 * @param usage something was used that is not folded
 * @param memory peaks were measured that are not folded
 * @param launches something is held against a host
 * @param groups counts of groups are not folded
 * @param experiments groups with a plan have not ended
 * @param fanOuts some are not worked through
 * @param statuses some are owed
 */
public record PendingWork(
    boolean timers,
    boolean attempts,
    boolean line,
    boolean backoff,
    boolean usage,
    boolean memory,
    boolean launches,
    boolean groups,
    boolean experiments,
    boolean fanOuts,
    boolean statuses) {

  /** For who has not looked yet. */
  public static final PendingWork ALL =
      new PendingWork(true, true, true, true, true, true, true, true, true, true, true);

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
        exists (select 1 from experiment e where e.ended_at is null),
        exists (select 1 from fan_out),
        exists (select 1 from due_status)
      from (select %s as now) c
      """
          .formatted(Queries.CLOCK);

  /** Looks. */
  public static Uni<PendingWork> look(StatelessSession session) {
    return Queries.single(session, LOOK, Map.of(), PendingWork::map);
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
        row.flag());
  }
}
