package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.placement.QueueHead;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Finds a job's place in its queue's line, for people; through the index. */
public final class LineQueries {
  private static final String COUNT =
      """
      select cast(coalesce(sum(c.ahead), 0) as bigint), cast(coalesce(sum(c.never), 0) as bigint)
      from %s cross join lateral (
        select count(*) as ahead, count(*) filter (where j.code = 'UNSATISFIABLE') as never from (
          select r.job from ready r where r.queue = :queue and %s = k.kind
          and r.rank < :rank order by r.rank limit :most) counted
        cross join lateral (select code from job where id = counted.job limit 1) j) c
      """
          .formatted(ReadyTable.KINDS_OF_ROOM, ReadyTable.KIND_OF_ROOM);

  private static final String FIRST =
      """
      select j.first_request from %s cross join lateral (
        select r.job, r.rank from ready r where r.queue = :queue and %s = k.kind
        and r.rank < :rank order by r.rank limit :most) a
      join job j on j.id = a.job order by a.rank limit :most
      """
          .formatted(ReadyTable.KINDS_OF_ROOM, ReadyTable.KIND_OF_ROOM);

  private LineQueries() {}

  /**
   * Those of its queue that stand before a job.
   *
   * @param jobs how many
   * @param never those of them that no host can ever serve: they keep nobody waiting
   */
  public record Ahead(long jobs, long never) {}

  /** Counted to {@code most} of each kind of room. */
  public static Uni<Ahead> countAhead(StatelessSession session, QueueHead head, int most) {
    return Queries.single(
        session, COUNT, of(head, most), row -> new Ahead(row.bigint(), row.bigint()));
  }

  /** The first of them, by the requests that started them. */
  public static Uni<List<String>> firstAhead(StatelessSession session, QueueHead head, int most) {
    return Queries.list(session, FIRST, of(head, most), Row::text);
  }

  private static Map<String, Object> of(QueueHead head, int most) {
    return Map.of("queue", head.queue(), "rank", head.rank(), "most", most);
  }
}
