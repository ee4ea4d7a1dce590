package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The steps to take first in a database that was restored. */
public final class RestorationTable {
  private static final int AT_ONCE = 5_000;

  private static final String OWE =
      """
      with taken as (delete from restored_status where request in (
        select request from restored_status limit :most for update skip locked) returning request)
      insert into due_status (request, marked)
      select s.request, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) from taken s
      order by s.request on conflict (request) do update set marked = excluded.marked
      """;

  private static final Batch<Unread> ROWS =
      new Batch<Unread>("restored_partition")
          .key("topic", "text", Unread::topic)
          .key("part", "integer", Unread::partition);

  private RestorationTable() {}

  /**
   * A partition that is to be read again.
   *
   * @param group whose readers do
   * @param until the offset behind the last record that the lost database was told
   */
  public record Unread(String group, String topic, int partition, long until) {}

  /** Whether something is to be done first. */
  public static Uni<Boolean> open(StatelessSession session) {
    return Queries.single(
        session,
        "select exists (select 1 from restoration r where r.replayed_at is null)",
        Map.of(),
        Row::flag);
  }

  /** When the database was restored last, ms since 1970; 0 for never. */
  public static Uni<Long> lastAt(StatelessSession session) {
    return Queries.single(
        session, "select coalesce(max(r.at), 0) from restoration r", Map.of(), Row::bigint);
  }

  /** Whether of other topics than this one there is something to be read again. */
  public static Uni<Boolean> unreadBeside(StatelessSession session, String topic) {
    return Queries.single(
        session,
        "select exists (select 1 from restored_partition p where p.topic <> :topic)",
        Map.of("topic", topic),
        Row::flag);
  }

  /** Partitions that have not been read again. */
  public static Uni<List<Unread>> unread(StatelessSession session) {
    return Queries.list(
        session,
        "select p.grp, p.topic, p.part, p.until from restored_partition p",
        Map.of(),
        row -> new Unread(row.text(), row.text(), row.integer(), row.bigint()));
  }

  /** These have been. */
  public static Uni<Void> read(StatelessSession session, List<Unread> partitions) {
    return Write.run(session, List.of(ROWS.delete(partitions))).replaceWithVoid();
  }

  /** Owes some of the statuses that were published of what the database has lost; how many. */
  public static Uni<Integer> owe(StatelessSession session) {
    return Queries.execute(session, OWE, Map.of("most", AT_ONCE));
  }

  /** All has been read again. */
  public static Uni<Void> replayed(StatelessSession session) {
    return Queries.execute(
            session,
            "update restoration set replayed_at = " + Queries.CLOCK + " where replayed_at is null",
            Map.of())
        .replaceWithVoid();
  }
}
