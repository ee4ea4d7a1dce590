package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.model.UsageRow;
import io.stoker.dispatcher.store.QueueUsage;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * The table of the use of queues. Every transaction that closes attempts adds rows of its own,
 * which nobody else touches, so that no two of them wait for each other; the scheduler folds them.
 */
public record UsageTable(StatelessSession session) implements QueueUsage {
  /**
   * What is left of an amount after so many half-lives. To Postgres a number that is too near to 0
   * for its type is an error, and what is used no more gets there in the end.
   */
  private static final String LEFT =
      "case when %1$s < 1e-9 or %2$s > 200 then 0 else %1$s * power(0.5, greatest(0, %2$s)) end";

  /** Half-lives since a queue's use was folded. */
  private static final String SINCE = "(excluded.at - u.at) / cast(:half as float8)";

  /** The arithmetic of {@link Decay}. */
  private static final String FOLD =
      """
      with gone as (delete from usage_entry %%s returning queue, gpu_ms, slot_ms, run_ms, at),
      halved as (
        select queue, gpu_ms, slot_ms, run_ms / cast(:half as float8) as halves,
          (cast(:now as bigint) - at) / cast(:half as float8) as since from gone),
      sums as (
        select queue, part * %s as gpu_ms, part * %s as slot_ms
        from halved cross join lateral (select case when halves < 1e-6 then 1
          else (1 - power(0.5, least(halves, 200))) / (halves * ln(cast(2 as float8))) end as part) p)
      insert into queue_usage as u (queue, gpu_ms, slot_ms, at)
      select queue, sum(gpu_ms), sum(slot_ms), cast(:now as bigint) from sums group by queue order by queue
      on conflict (queue) do update set
        gpu_ms = excluded.gpu_ms + %s,
        slot_ms = excluded.slot_ms + %s,
        at = case when u.at - excluded.at > %d then excluded.at
          else greatest(u.at, excluded.at) end
      """
          .formatted(
              LEFT.formatted("gpu_ms", "since"),
              LEFT.formatted("slot_ms", "since"),
              LEFT.formatted("u.gpu_ms", SINCE),
              LEFT.formatted("u.slot_ms", SINCE),
              Usage.AHEAD_MS);

  private static final String FOLD_ALL = FOLD.formatted("");
  private static final String FOLD_SOME =
      FOLD.formatted("where queue = any(cast(:keys as text[]))");

  private static final Batch<UsageRow> ROWS =
      new Batch<UsageRow>("usage_entry")
          .key("queue", "text", UsageRow::queue)
          .column("gpu_ms", "float8", UsageRow::gpuMs)
          .column("slot_ms", "float8", UsageRow::slotMs)
          .column("run_ms", "float8", UsageRow::runMs)
          .column("at", "bigint", UsageRow::at);

  @Override
  public Uni<Void> fold(Decay decay, long now) {
    return Queries.execute(
            session, FOLD_ALL, Map.of("half", (double) decay.halfLifeMs(), "now", now))
        .replaceWithVoid();
  }

  @Override
  public Uni<Void> fold(Decay decay, long now, List<String> queues) {
    return Queries.execute(
            session,
            FOLD_SOME,
            Map.of("half", (double) decay.halfLifeMs(), "now", now, "keys", Queries.array(queues)))
        .replaceWithVoid();
  }

  @Override
  public Uni<List<String>> unfolded() {
    return Queries.list(session, "select distinct queue from usage_entry", Map.of(), Row::text);
  }

  @Override
  public Uni<List<Usage>> all() {
    return Queries.list(
        session,
        "select u.queue, u.gpu_ms, u.slot_ms, u.at from queue_usage u order by u.queue",
        Map.of(),
        row -> new Usage(row.text(), new DeviceTime(row.number(), row.number()), row.bigint()));
  }

  static Write insert(List<UsageRow> rows) {
    return ROWS.insert(rows, "");
  }
}
