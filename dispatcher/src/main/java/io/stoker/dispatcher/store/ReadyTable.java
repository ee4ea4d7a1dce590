package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.ReadyRow;
import io.stoker.dispatcher.placement.Shape;
import io.stoker.dispatcher.placement.Snapshot.Head;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The line: jobs that may be placed. */
public final class ReadyTable {
  /**
   * The first of every queue and shape. The recursion skips from group to group through the index,
   * so that the work grows with queues and shapes and not with the backlog.
   */
  private static final String HEADS =
      """
      with recursive grp as (
        (select queue, shape from ready order by queue, shape limit 1)
        union all
        select n.queue, n.shape from grp g cross join lateral (
          select queue, shape from ready where (queue, shape) > (g.queue, g.shape)
          order by queue, shape limit 1) n)
      select h.job, h.queue, h.shape, h.priority, h.seq, j.avoid
      from grp g cross join lateral (
        select job, queue, shape, priority, seq from ready r
        where r.queue = g.queue and r.shape = g.shape
        order by r.priority desc, r.seq limit :most) h
      join job j on j.id = h.job
      """;

  private static final Batch<ReadyRow> ROWS =
      new Batch<ReadyRow>("ready")
          .key("job", "text", ReadyRow::job)
          .column("queue", "text", ReadyRow::queue)
          .column("shape", "text", ReadyRow::shape)
          .column("priority", "integer", ReadyRow::priority)
          .column("seq", "bigint", ReadyRow::seq);

  private static final Batch<String> JOBS =
      new Batch<String>("ready").key("job", "text", job -> job);

  private ReadyTable() {}

  /** The first {@code most} jobs of every queue and shape. */
  public static Uni<List<Head>> heads(StatelessSession session, int most) {
    return Queries.list(session, HEADS, Map.of("most", most), ReadyTable::head);
  }

  private static Head head(Row row) {
    return new Head(
        row.text(),
        row.text(),
        Shape.parse(row.text()),
        row.integer(),
        row.bigint(),
        JobTable.strings(row),
        Set.of());
  }

  static Write insert(List<ReadyRow> rows) {
    String conflict = "(job) do update set priority = excluded.priority, shape = excluded.shape";
    return ROWS.insert(rows, conflict);
  }

  static Write delete(List<String> jobs) {
    return JOBS.delete(jobs);
  }
}
