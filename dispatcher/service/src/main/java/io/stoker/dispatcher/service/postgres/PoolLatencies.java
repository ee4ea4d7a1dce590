package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Arrival;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Measures how long jobs of pools took lately, from their getting in line to their ends. */
public final class PoolLatencies {
  /** Requests that are looked at. */
  private static final int LOOKED_AT = 10_000;

  private static final long WITHIN_MS = 3_600_000;

  private static final String SQL =
      """
      with w as materialized (
        select r.id, r.job, coalesce(r.queued_at, r.seq / %1$d) as queued_at from request r
        where r.seq >= (%2$s - :within) * %1$d order by r.seq desc limit :most)
      select j.host, j.pool, count(*), percentile_cont(0.5) within group (order by j.took),
        percentile_cont(0.95) within group (order by j.took)
      from w cross join lateral (
        select host, cast(shape as jsonb) ->> 'pool' as pool,
          cast(ended_at - w.queued_at as float8) as took
        from job where id = w.job and first_request = w.id and strpos(shape, '"pool":') > 0
          and state = 'SUCCEEDED' and host is not null limit 1) j
      where j.pool is not null and j.took is not null
      group by j.host, j.pool
      """
          .formatted(Arrival.PER_MS, Queries.CLOCK_ONCE);

  private PoolLatencies() {}

  /**
   * Of one pool.
   *
   * @param ended how many jobs it is made of
   * @param p50Ms half of them took no longer, ms
   * @param p95Ms 95 % of them took no longer, ms
   */
  public record Latency(String host, String pool, long ended, double p50Ms, double p95Ms) {}

  /** Of jobs that were posted within the last hour, among the newest 10,000 requests. */
  public static Uni<List<Latency>> of(StatelessSession session) {
    return Queries.list(
        session,
        SQL,
        Map.of("within", WITHIN_MS, "most", LOOKED_AT),
        row -> new Latency(row.text(), row.text(), row.bigint(), row.number(), row.number()));
  }
}
