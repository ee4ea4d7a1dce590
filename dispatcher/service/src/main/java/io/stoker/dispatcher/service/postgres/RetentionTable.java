package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.retention.Aged;
import io.stoker.dispatcher.store.OldRows;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Finds and removes what has been over for long. */
public record RetentionTable(StatelessSession session) implements OldRows {
  /** Groups with a limit of retries that one transaction drops: each takes a lock. */
  private static final int LIMITS_AT_ONCE = 500;

  /**
   * In order of arrival. A request that ended by itself has the clock of its end as its version;
   * one that was answered at once ended when it arrived, or when what it waited for had ended; any
   * other ends with its job. A job that still runs for others keeps the request that started it,
   * which says what to run.
   */
  private static final String REQUESTS =
      """
      select r.id, r.seq, r.spec is not null and (r.ended is null or r.version < :before)
        and case when r.job is null then r.ended is not null
          when r.cached then coalesce(r.queued_at < :before, true)
          when j.id is null then true
          else coalesce(j.ended_at < :before, false) end
      from request r left join job j on j.id = r.job
      where r.seq > :after and r.seq < :until order by r.seq limit :limit for update of r skip locked
      """;

  /** Dependencies that have succeeded are asked for their results when the last one has. */
  private static final String AWAITED =
      """
      select n.id from request w
      cross join lateral jsonb_array_elements(cast(w.spec as jsonb) -> 'dependsOn') e(entry)
      cross join lateral (select coalesce(e.entry ->> 'id', e.entry #>> '{}')) n(id)
      where w.job is null and w.ended is null and w.spec is not null
      """;

  /**
   * True if a job that has not ended depends on a request, else null: each attempt is given the
   * results. It is asked key by key through the indexes, whatever Postgres believes of the tables.
   * The newest jobs are looked at first, and no more than 1,000: an older one may not have ended.
   */
  private static final String NEEDED =
      """
      (select true from (
          select i.job, row_number() over (order by i.job desc) as nth from input i
          where i.depends_on = %s order by i.job desc limit 1001) n
        where n.nth > 1000 or (select j.ended_at is null from job j where j.id = n.job) limit 1)
      """;

  private static final String NAMED =
      """
      select d.depends_on from dependency d where d.depends_on = any(cast(:keys as text[]))
      union
      %s and n.id = any(cast(:keys as text[]))
      union
      select k.id from (select unnest(cast(:keys as text[])) as id) k where %s
      """
          .formatted(AWAITED, NEEDED.formatted("k.id"));

  /** All kinds of timers: their index begins with the kind. */
  private static final Short[] TIMERS =
      Stream.of(TimerRow.Kind.values()).map(kind -> (short) kind.ordinal()).toArray(Short[]::new);

  private static final String DELETE =
      """
      with gone as (delete from request where id = any(cast(:keys as text[])) returning id, queue),
        timers as (delete from timer where kind = any(cast(:timers as smallint[]))
          and request = any(cast(:keys as text[])) returning 1),
        edges as (delete from dependency where dependent = any(cast(:keys as text[])) returning 1)
      insert into due_status (request, marked, queue)
      select g.id, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint), g.queue
      from gone g order by g.id
      on conflict (request) do update set marked = excluded.marked, queue = excluded.queue
      """;

  /** Of ids that only these requests named, and that nobody ever posted. */
  private static final String PLACEHOLDERS =
      "select r.id from request r where r.seq = 0 and r.spec is null and not r.stop_requested"
          + " and r.id = any(cast(:keys as text[])) order by r.id for update skip locked";

  /**
   * In a statement that follows the lock: whoever comes to depend on one holds its row, and one
   * that had to wait for that would not see who came.
   */
  private static final String UNNAMED =
      """
      delete from request r where r.id = any(cast(:keys as text[]))
        and not exists (select 1 from dependency d where d.depends_on = r.id)
      """;

  /**
   * Of cancels whose request was never posted, and of refusals: their version is the time of that.
   * Builds before this one wrote 1 there; from now on such a row has the time of now. They are
   * deleted as {@link #UNNAMED} in a statement that follows, too.
   */
  private static final String STOPS =
      """
      with undated as (update request set version = :now where seq = 0 and spec is null
          and stop_requested and version < 1000000000)
      select r.id from request r where r.seq = 0 and r.spec is null
        and (r.stop_requested or r.ended is not null) and r.version between 1000000000 and :before
        and not exists (select 1 from dependency d where d.depends_on = r.id)
        and r.id not in (%s) and %s is null
        order by r.id limit :most for update skip locked
      """
          .formatted(AWAITED, NEEDED.formatted("r.id"));

  private static final String JOBS =
      """
      select j.id, j.seq, j.ended_at is not null and j.ended_at < :before from job j
      where j.id > :after order by j.id limit :limit for update skip locked
      """;

  private static final String FORGET =
      """
      update job set role = 0 where id = any(cast(:keys as text[])) and role = 1
        and state = 'SUCCEEDED' and ended_at < :before
      """;

  private static final String DROP =
      """
      with old as (select j.id from job j where j.id = any(cast(:keys as text[])) and j.role = 0
          and j.ended_at < :before
          and not exists (select 1 from request f where f.id = j.first_request and f.job = j.id)
          and not exists (
            select 1 from request s where s.job = j.id and s.attached and not s.cached)
          and not exists (select 1 from request c where c.job = j.id and c.cached)),
        gone as (delete from job where id in (select id from old) returning id),
        past as (delete from past_attempt where job in (select id from gone)),
        results as (delete from intermediate_result where job in (select id from gone)),
        checks as (delete from early_stop_check where job in (select id from gone)),
        inputs as (delete from input where job in (select id from gone))
      select cast(count(*) as integer) from gone
      """;

  private static final String PLAN_IS_OVER =
      """
      e.ended_at < :before
        and not exists (select 1 from request r where r.grp = e.name)
        and not exists (
          select 1 from experiment w where w.after = e.name and w.ended_at is null)
      """;

  /** Whoever takes in a request of a group holds its plan: that one is passed over. */
  private static final String PLANS =
      "select e.name from experiment e where %s order by e.name for update skip locked"
          .formatted(PLAN_IS_OVER);

  /** Whether a group that others wait for has ended follows from its count. */
  private static final String GROUP_IS_OVER =
      """
      greatest(g.first_at, coalesce(g.last_end_at, 0), coalesce(g.closed_at, 0)) < :before
        and g.total <= g.succeeded + g.failed + g.cancelled
        and not exists (select 1 from group_entry e where e.grp = g.grp)
        and not exists (select 1 from request r where r.grp = g.grp)
        and not exists (
          select 1 from experiment w where w.after = g.grp and w.ended_at is null)
      """;

  /** Whoever uses or sets a limit holds its row: it is passed over, with its group. */
  private static final String LIMITS =
      """
      select b.grp from group_budget b join group_count g on g.grp = b.grp
      where %s order by b.grp limit %d for update of b skip locked
      """
          .formatted(GROUP_IS_OVER, LIMITS_AT_ONCE);

  /**
   * In a statement that follows all locks: one sees what was there before it waited, and not the
   * request that came meanwhile.
   */
  private static final String GROUPS =
      """
      with plans as (delete from experiment e where e.name = any(cast(:keys as text[])) and %s),
      gone as (delete from group_count g where %s and not exists (
          select 1 from group_budget b
          where b.grp = g.grp and b.grp <> all(cast(:limited as text[])))
        returning grp),
      limits as (delete from group_budget where grp in (select grp from gone))
      select cast(count(*) as integer) from gone
      """
          .formatted(PLAN_IS_OVER, GROUP_IS_OVER);

  /** Who says hello, or is spoken of by people, holds its row: it is passed over. */
  private static final String HOSTS =
      """
      with away as (
        select h.id from host h
        where not h.unlisted and h.state in ('LOST', 'GONE') and h.restored is null
          and h.seen_at < :before
          and not exists (select 1 from host_event e where e.host = h.id and e.at >= :before)
          and h.id not in (select a.host from attempt a)
        order by h.id for update skip locked)
      update host h set unlisted = true from away a where a.id = h.id
      """;

  @Override
  public Uni<List<Aged>> requests(long after, long until, long before, int limit) {
    Map<String, Object> parameters =
        Map.of("after", after, "until", until, "before", before, "limit", limit);
    return Queries.list(session, REQUESTS, parameters, RetentionTable::aged);
  }

  @Override
  public Uni<List<String>> named(Collection<String> requests) {
    return Queries.listOf(session, NAMED, requests, Row::text);
  }

  @Override
  public Uni<List<String>> waitedFor(Collection<String> requests) {
    String sql =
        "select distinct d.depends_on from dependency d where d.dependent = any(cast(:keys as"
            + " text[]))";
    return Queries.listOf(session, sql, requests, Row::text);
  }

  @Override
  public Uni<Integer> delete(Collection<String> requests) {
    Map<String, Object> parameters = new HashMap<>(keys(requests));
    parameters.put("timers", TIMERS);
    return Queries.execute(session, DELETE, parameters);
  }

  @Override
  public Uni<Integer> deletePlaceholders(Collection<String> ids) {
    return Queries.listOf(session, PLACEHOLDERS, ids, Row::text).chain(this::deleteUnnamed);
  }

  private Uni<Integer> deleteUnnamed(List<String> held) {
    return held.isEmpty()
        ? Uni.createFrom().item(0)
        : Queries.execute(session, UNNAMED, keys(held));
  }

  @Override
  public Uni<Integer> deleteStops(long now, long before, int most) {
    Map<String, Object> parameters = Map.of("now", now, "before", before, "most", most);
    return Queries.list(session, STOPS, parameters, Row::text).chain(this::deleteUnnamed);
  }

  @Override
  public Uni<List<Aged>> jobs(String after, long before, int limit) {
    Map<String, Object> parameters = Map.of("after", after, "before", before, "limit", limit);
    return Queries.list(session, JOBS, parameters, RetentionTable::aged);
  }

  @Override
  public Uni<Integer> forget(Collection<String> jobs, long before) {
    return Queries.execute(session, FORGET, keys(jobs, before));
  }

  @Override
  public Uni<Integer> drop(Collection<String> jobs, long before) {
    return Queries.single(session, DROP, keys(jobs, before), Row::integer);
  }

  @Override
  public Uni<Integer> dropGroups(long before) {
    Map<String, Object> by = Map.of("before", before);
    return Queries.list(session, PLANS, by, Row::text)
        .chain(
            plans ->
                Queries.list(session, LIMITS, by, Row::text)
                    .chain(limits -> Locks.leave(session, limits))
                    .chain(limits -> dropGroups(plans, limits, before)));
  }

  private Uni<Integer> dropGroups(List<String> plans, List<String> limits, long before) {
    Map<String, Object> parameters = new HashMap<>(keys(plans, before));
    parameters.put("limited", Queries.array(limits));
    return Queries.single(session, GROUPS, parameters, Row::integer);
  }

  @Override
  public Uni<Integer> unlistHosts(long before) {
    return Queries.execute(session, HOSTS, Map.of("before", before));
  }

  private static Aged aged(Row row) {
    return new Aged(row.text(), row.bigint(), row.flag());
  }

  private static Map<String, Object> keys(Collection<String> ids) {
    return Map.of("keys", Queries.array(ids));
  }

  private static Map<String, Object> keys(Collection<String> ids, long before) {
    Map<String, Object> parameters = new HashMap<>(keys(ids));
    parameters.put("before", before);
    return parameters;
  }
}
