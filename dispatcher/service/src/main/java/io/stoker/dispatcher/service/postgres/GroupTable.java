package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.GroupEntry;
import io.stoker.dispatcher.store.Groups;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Counts of groups. Every transaction adds rows of its own, which nobody else touches, so that no
 * two of them wait for each other; the scheduler folds them.
 */
public record GroupTable(StatelessSession session) implements Groups {
  private static final String FOLD =
      """
      with gone as (delete from group_entry %s
        returning grp, total, succeeded, failed, cancelled, at)
      insert into group_count as g
        (grp, total, succeeded, failed, cancelled, first_at, last_end_at)
      select grp, sum(total), sum(succeeded), sum(failed), sum(cancelled), min(at),
        max(at) filter (where succeeded + failed + cancelled > 0)
      from gone group by grp order by grp
      on conflict (grp) do update set
        total = g.total + excluded.total,
        succeeded = g.succeeded + excluded.succeeded,
        failed = g.failed + excluded.failed,
        cancelled = g.cancelled + excluded.cancelled,
        first_at = least(g.first_at, excluded.first_at),
        last_end_at = greatest(g.last_end_at, excluded.last_end_at)
      """;

  private static final String FOLD_ALL = FOLD.formatted("");
  private static final String FOLD_SOME = FOLD.formatted("where grp = any(cast(:keys as text[]))");

  private static final String COUNTS =
      """
      select c.grp, cast(sum(c.total) as bigint), cast(sum(c.succeeded) as bigint),
        cast(sum(c.failed) as bigint), cast(sum(c.cancelled) as bigint),
        min(c.first_at), max(c.last_end_at), max(c.closed_at),
        %3$s
      from (
        select g.grp, g.total, g.succeeded, g.failed, g.cancelled, g.first_at, g.last_end_at,
          g.closed_at from group_count g where %1$s
        union all
        select e.grp, e.total, e.succeeded, e.failed, e.cancelled, e.at,
          case when e.succeeded + e.failed + e.cancelled > 0 then e.at end, null
        from group_entry e where %2$s) c
      group by c.grp order by c.grp limit :most
      """;

  /** Through the open attempts, of which there are as many as the fleet has devices and slots. */
  private static final String OPEN =
      """
      select member.grp, a.state, count(*) from attempt a join job j on j.id = a.job
      join lateral (
        select r.grp from request r where r.id = j.first_request and r.job = j.id
          and r.grp = any(cast(:keys as text[])) and r.ended is null
        union all
        select s.grp from request s where s.job = j.id and s.attached and not s.cached
          and s.grp = any(cast(:keys as text[])) and s.ended is null) member on true
      where not exists (
        select 1 from attempt b where b.job = a.job and b.number = a.number and b.rank < a.rank)
      group by member.grp, a.state
      """;

  /** By the index of groups: of an equality alone others might be looked through. */
  private static final String QUEUES =
      """
      select g.name, r.queue from unnest(cast(:keys as text[])) g(name) cross join lateral (
        select queue from request where grp >= g.name and grp <= g.name
        order by grp, seq limit 1) r
      """;

  private static final Batch<GroupEntry> ROWS =
      new Batch<GroupEntry>("group_entry")
          .key("grp", "text", GroupEntry::group)
          .column("total", "bigint", GroupEntry::total)
          .column("succeeded", "bigint", GroupEntry::succeeded)
          .column("failed", "bigint", GroupEntry::failed)
          .column("cancelled", "bigint", GroupEntry::cancelled)
          .column("at", "bigint", GroupEntry::at);

  /**
   * A group's counts.
   *
   * @param firstAt when it was made, ms since 1970
   * @param lastEndAt when the last of its requests ended, null before
   * @param closedAt when it was closed, null before
   * @param now the database's clock
   */
  public record Counts(
      String group,
      long total,
      long succeeded,
      long failed,
      long cancelled,
      long firstAt,
      Long lastEndAt,
      Long closedAt,
      long now) {}

  static Write insert(List<GroupEntry> entries) {
    return ROWS.insert(entries, "");
  }

  @Override
  public Uni<Integer> fold() {
    return Queries.execute(session, FOLD_ALL, Map.of());
  }

  @Override
  public Uni<Integer> fold(List<String> groups) {
    return Queries.execute(session, FOLD_SOME, Map.of("keys", Queries.array(groups)));
  }

  @Override
  public Uni<List<String>> unfolded(int most) {
    return Queries.list(
        session,
        "select distinct grp from group_entry order by grp limit :most",
        Map.of("most", most),
        Row::text);
  }

  /** Nothing for a group that nobody has named. */
  public static Uni<Optional<Counts>> counts(StatelessSession session, String group) {
    String sql = COUNTS.formatted("g.grp = :grp", "e.grp = :grp", Queries.CLOCK);
    return Queries.first(session, sql, Map.of("grp", group, "most", 1), GroupTable::counts);
  }

  /** Groups in order of name, from behind {@code after}. */
  public static Uni<List<Counts>> all(StatelessSession session, String after, int most) {
    String sql = COUNTS.formatted("g.grp > :after", "e.grp > :after", Queries.CLOCK);
    return Queries.list(session, sql, Map.of("after", after, "most", most), GroupTable::counts);
  }

  private static Counts counts(Row row) {
    return new Counts(
        row.text(),
        row.bigint(),
        row.bigint(),
        row.bigint(),
        row.bigint(),
        row.bigint(),
        row.bigintOrNull(),
        row.bigintOrNull(),
        row.bigint());
  }

  /**
   * How many of each group's requests are placed or run, by the state of their attempts; those of
   * which none is have no entry.
   */
  public static Uni<Map<String, Map<String, Long>>> open(
      StatelessSession session, Collection<String> groups) {
    return Queries.listOf(
            session,
            OPEN,
            groups,
            row -> Map.entry(row.text(), Map.entry(row.text(), row.bigint())))
        .map(
            rows -> {
              Map<String, Map<String, Long>> open = new TreeMap<>();
              for (Map.Entry<String, Map.Entry<String, Long>> row : rows) {
                open.computeIfAbsent(row.getKey(), group -> new TreeMap<>())
                    .put(row.getValue().getKey(), row.getValue().getValue());
              }
              return open;
            });
  }

  @Override
  public Uni<Map<String, String>> queues(Collection<String> groups) {
    return queues(session, groups);
  }

  /** As {@link #queues(Collection)}. */
  public static Uni<Map<String, String>> queues(
      StatelessSession session, Collection<String> groups) {
    return Queries.listOf(session, QUEUES, groups, row -> Map.entry(row.text(), row.text()))
        .map(GroupTable::byKey);
  }

  @Override
  public Uni<Integer> create(String group) {
    return Queries.execute(
        session,
        "insert into group_count (grp, first_at) values (:grp, "
            + Queries.CLOCK
            + ") on conflict (grp) do nothing",
        Map.of("grp", group));
  }

  @Override
  public Uni<Integer> close(String group) {
    return Queries.execute(
        session,
        "insert into group_count as g (grp, first_at, closed_at) values (:grp, "
            + Queries.CLOCK
            + ", "
            + Queries.CLOCK
            + ") on conflict (grp) do update set closed_at = coalesce(g.closed_at,"
            + " excluded.closed_at)",
        Map.of("grp", group));
  }

  @Override
  public Uni<Map<String, Long>> members(List<String> requests) {
    String sql =
        "select r.grp, count(*) from request r where r.id = any(cast(:keys as text[])) and r.grp is"
            + " not null and r.ended is null group by r.grp";
    return Queries.listOf(session, sql, requests, row -> Map.entry(row.text(), row.bigint()))
        .map(GroupTable::byKey);
  }

  private static <T> Map<String, T> byKey(List<Map.Entry<String, T>> rows) {
    Map<String, T> byKey = new TreeMap<>();
    rows.forEach(row -> byKey.put(row.getKey(), row.getValue()));
    return byKey;
  }
}
