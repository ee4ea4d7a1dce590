package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.ledger.ReadyRow;
import io.stoker.dispatcher.placement.Depth;
import io.stoker.dispatcher.placement.Head;
import io.stoker.dispatcher.placement.Shape;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The line: jobs that may be placed. */
public final class ReadyTable {
  /**
   * The first of every queue, shape and lane. The recursion skips from group to group through the
   * index, so that the work grows with queues and shapes and not with the backlog. Where there are
   * many groups, fewer of each are read: the pass that follows at once reads the next ones. A plain
   * join with job would be planned while there are few, and read all of them for ever.
   */
  private static final String HEADS =
      """
      with recursive grp as (
        (select queue, shape, lane from ready order by queue, shape, lane limit 1)
        union all
        select n.queue, n.shape, n.lane from grp g cross join lateral (
          select queue, shape, lane from ready
          where (queue, shape, lane) > (g.queue, g.shape, g.lane)
          order by queue, shape, lane limit 1) n)
      select h.job, h.queue, h.shape, h.priority, h.seq, h.rank, j.avoid, j.fingerprint, j.profile, j.failures,
        g.lane, j.code
      from grp g cross join lateral (
        select job, queue, shape, priority, seq, rank from ready r
        where r.queue = g.queue and r.shape = g.shape and r.lane = g.lane
        order by r.rank
        limit least(:most, greatest(:fewest, :total / (select count(*) from grp)))) h
      cross join lateral (
        select avoid, fingerprint, profile, failures, code from job where id = h.job limit 1) j
      """;

  /** Only a group with a plan has a lane of its own. */
  private static final String LANE =
      "coalesce((select e.name from experiment e where e.name = u.lane and e.ended_at is null), '')";

  private static final Batch<ReadyRow> ROWS =
      new Batch<ReadyRow>("ready")
          .key("job", "text", ReadyRow::job)
          .column("queue", "text", ReadyRow::queue)
          .column("shape", "text", ReadyRow::shape)
          .column("priority", "integer", ReadyRow::priority)
          .column("seq", "bigint", ReadyRow::seq)
          .column("rank", "bigint", ReadyRow::rank)
          .derived("lane", LANE, ReadyRow::group);

  private static final Batch<String> JOBS =
      new Batch<String>("ready").key("job", "text", job -> job);

  private ReadyTable() {}

  /**
   * Jobs in line.
   *
   * @param unreadable those that cannot be placed, since what they ask for cannot be read, and why
   */
  public record InLine(List<Head> heads, Map<String, RuntimeException> unreadable) {}

  /** The first {@code most} jobs of every queue, shape and lane. */
  public static Uni<InLine> heads(StatelessSession session, int most) {
    Map<String, Shape> shapes = new HashMap<>();
    Map<String, RuntimeException> unreadable = new LinkedHashMap<>();
    return Queries.list(
            session,
            HEADS,
            Map.of("most", most, "fewest", Depth.FEWEST, "total", Depth.TOTAL),
            row -> head(row, shapes, unreadable))
        .map(heads -> new InLine(heads.stream().flatMap(Optional::stream).toList(), unreadable));
  }

  /** How many jobs of a queue stand in line, counted no further than {@code most}. */
  public static Uni<Long> count(StatelessSession session, String queue, int most) {
    return Queries.single(
        session,
        "select count(*) from (select 1 from ready r where r.queue = :queue limit :most) few",
        Map.of("queue", queue, "most", most),
        Row::bigint);
  }

  private static Optional<Head> head(
      Row row, Map<String, Shape> shapes, Map<String, RuntimeException> unreadable) {
    String job = row.text();
    String queue = row.text();
    try {
      Shape shape = shapes.computeIfAbsent(row.text(), Shape::parse);
      return Optional.of(head(job, queue, shape, row));
    } catch (RuntimeException e) {
      unreadable.put(job, e);
      return Optional.empty();
    }
  }

  /**
   * Columns priority, seq, rank, avoid, fingerprint, profile, failures, lane and code of a job in
   * line.
   */
  static Head head(String job, String queue, Shape shape, Row row) {
    return new Head(
        job,
        queue,
        shape,
        row.integer(),
        row.bigint(),
        row.bigint(),
        JobTable.avoid(row),
        Set.of(),
        JobTable.memory(row, shape),
        lane(row),
        Code.UNSATISFIABLE.name().equals(row.text()));
  }

  private static String lane(Row row) {
    String lane = row.text();
    return lane.isEmpty() ? null : lane;
  }

  static Write insert(List<ReadyRow> rows) {
    String conflict =
        "(job) do update set priority = excluded.priority, shape = excluded.shape,"
            + " rank = excluded.rank";
    return ROWS.insert(rows, conflict);
  }

  static Write delete(List<String> jobs) {
    return JOBS.delete(jobs);
  }
}
