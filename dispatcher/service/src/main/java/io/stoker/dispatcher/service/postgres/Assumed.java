package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.service.postgres.WrittenRows.Open;
import io.stoker.dispatcher.service.runtime.Faults;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Rows that a transaction goes by without having read them. Before it writes it locks the jobs, and
 * then, as {@link JobLoader} does in statements that follow the lock, looks whether all of it still
 * is so: the rows are the ones that were written, and nobody shares a job, depends on its request,
 * or waits for its end. It does so with what it writes, in one round trip: the database refuses the
 * look where anything differs, and with it all that follows.
 *
 * @param unit that holds them, as of the time that the database's clock is believed to show
 * @param server that has them
 */
record Assumed(UnitOfWork unit, long server, List<Open> rows) {
  /** By how much the clock may show something else, in ms: all that goes by it is coarser. */
  private static final long CLOCK_MS = 1_000;

  /** What the database answers who would have it read {@link #REFUSAL} as a number. */
  private static final String NO_NUMBER = "22P02";

  /** An expression that fails, with a reason that stands in the database's log. */
  private static final String REFUSAL =
      "cast('rows that a dispatcher remembers were written by another one; %s ' || %s as integer)";

  private static final String LOCK =
      """
      select c.now, case when
        (select count(*) from (
          select 1 from (select unnest(cast(:jobs as text[])) as job,
            unnest(cast(:writers as text[])) as writer) u
          join job j on j.id = u.job and j.xmin = cast(u.writer as xid)
          order by j.role, j.id for update of j) held) = cast(:rows as bigint)
        and abs(c.now - cast(:now as bigint)) <= cast(:most as bigint)
        and %s = cast(:server as bigint)
        then 1 else %s end
      from (select %s as now) c
      """
          .formatted(Writer.SERVER, REFUSAL.formatted("clock", "c.now"), Queries.CLOCK);

  /** Row by row through the indexes, whatever is believed of the tables. */
  private static final String LOOK =
      """
      select case when count(*) = cast(:rows as bigint) then 1 else %s end
      from (select unnest(cast(:jobs as text[])) as job,
        unnest(cast(:fingerprints as text[])) as fingerprint,
        unnest(cast(:numbers as integer[])) as number,
        unnest(cast(:attempts as text[])) as attempt,
        unnest(cast(:requests as text[])) as request,
        unnest(cast(:firsts as text[])) as first) u
      cross join lateral (select 1 from attempt a where a.job = u.job
        and a.number = u.number and a.rank = 0
        and a.xmin = cast(u.attempt as xid) limit 1) a
      cross join lateral (select 1 from request r where r.id = u.request
        and r.xmin = cast(u.first as xid) limit 1) r
      left join lateral (select 1 as one from request s where s.job = u.job and s.attached
        and not s.cached limit 1) s on true
      left join lateral (select 1 as one from dependency d where d.depends_on = u.request
        limit 1) d on true
      left join lateral (select 1 as one from job w where w.fingerprint = u.fingerprint
        and w.role = 2 limit 1) w on true
      where s.one is null and d.one is null and w.one is null
      """
          .formatted(REFUSAL.formatted("as remembered", "count(*)"));

  /**
   * What a transaction assumes.
   *
   * @param now what the database's clock is believed to show, ms since 1970
   */
  static Assumed of(WrittenRows.Known known, long now) {
    List<Open> rows = known.rows();
    long placed = rows.stream().mapToLong(open -> open.attempt().row().placedAt()).max().orElse(0);
    UnitOfWork unit = new UnitOfWork(Math.max(now, placed));
    for (Open open : rows) {
      unit.loadJob(open.job().row());
      unit.attempts().load(open.attempt().row());
      unit.requests().load(open.first().row());
    }
    return new Assumed(unit, known.server(), rows);
  }

  List<String> jobs() {
    return rows.stream().map(open -> open.job().row().id()).toList();
  }

  /**
   * Makes sure of it, and locks the jobs; to be sent before what the transaction writes.
   *
   * @return what the clock shows; fails with {@link RowsChanged}
   */
  Uni<Long> check(StatelessSession session) {
    Uni<Long> locked = Queries.single(session, LOCK, lock(), Row::bigint);
    Uni<Integer> looked = Queries.single(session, LOOK, look(), Row::integer);
    return Uni.combine()
        .all()
        .unis(locked, looked)
        .combinedWith((now, same) -> now)
        .onFailure(Assumed::differs)
        .transform(refused -> new RowsChanged());
  }

  private static boolean differs(Throwable error) {
    return Faults.sqlState(error).filter(NO_NUMBER::equals).isPresent();
  }

  private Map<String, Object> lock() {
    return Map.of(
        "jobs",
        column(open -> open.job().row().id()),
        "writers",
        column(open -> open.job().by()),
        "rows",
        (long) rows.size(),
        "now",
        unit.now(),
        "most",
        CLOCK_MS,
        "server",
        server);
  }

  private Map<String, Object> look() {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("jobs", column(open -> open.job().row().id()));
    parameters.put("fingerprints", column(open -> open.job().row().fingerprint()));
    parameters.put(
        "numbers",
        rows.stream().map(open -> open.attempt().row().number()).toArray(Integer[]::new));
    parameters.put("attempts", column(open -> open.attempt().by()));
    parameters.put("requests", column(open -> open.first().row().id()));
    parameters.put("firsts", column(open -> open.first().by()));
    parameters.put("rows", (long) rows.size());
    return parameters;
  }

  private String[] column(Function<Open, String> value) {
    return rows.stream().map(value).toArray(String[]::new);
  }
}
