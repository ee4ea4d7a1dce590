package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.memory.ExpectedEnd;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.model.MemoryRow;
import io.stoker.dispatcher.store.MemoryPeaks;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Peaks of memory. Every transaction that ends attempts adds rows of its own, which nobody else
 * touches, so that no two of them wait for each other; the sweep folds them into one row a key.
 */
public record MemoryTable(StatelessSession session) implements MemoryPeaks {
  private static final String FOLD =
      """
      with gone as (delete from memory_entry %s returning key, peak, at),
      fresh as (
        select key, array_agg(cast(peak as text) order by at desc) as peaks, count(*) as seen,
          max(at) as at
        from gone group by key),
      merged as (
        select f.key, f.seen, f.at, f.peaks || string_to_array(coalesce(m.peaks, ''), ',') as peaks
        from fresh f left join memory_seen m on m.key = f.key)
      insert into memory_seen as s (key, peaks, seen, at)
      select m.key,
        (select string_agg(p.peak, ',' order by p.nr) from (
          select u.peak, u.nr from unnest(m.peaks) with ordinality u(peak, nr)
          where u.peak <> '' order by u.nr limit :most) p),
        m.seen, m.at
      from merged m order by m.key
      on conflict (key) do update set
        peaks = excluded.peaks, seen = s.seen + excluded.seen, at = greatest(s.at, excluded.at)
      """;

  private static final String FOLD_ALL = FOLD.formatted("");
  private static final String FOLD_SOME = FOLD.formatted("where key = any(cast(:keys as text[]))");

  private static final String PEAKS =
      """
      select k.key, m.peaks, coalesce(m.seen, 0),
        (select string_agg(cast(e.peak as text), ',' order by e.at desc) from memory_entry e
          where e.key = k.key)
      from unnest(cast(:keys as text[])) k(key) left join memory_seen m on m.key = k.key
      """;

  private static final String LIST =
      """
      select m.key, m.peaks, m.seen, m.at from memory_seen m
      where m.key > :after and position(:text in m.key) > 0 and exists (
        select 1 from unnest(cast(:prefixes as text[])) p(prefix) where starts_with(m.key, p.prefix))
      order by m.key limit :most
      """;

  private static final String PROFILES =
      "select j.id, j.profile from job j where j.id = any(cast(:keys as text[]))"
          + " and j.profile is not null";

  private static final Batch<MemoryRow> ROWS =
      new Batch<MemoryRow>("memory_entry")
          .key("key", "text", MemoryRow::key)
          .column("peak", "bigint", MemoryRow::peak)
          .column("at", "bigint", MemoryRow::at);

  @Override
  public Uni<Map<String, Peaks>> peaks(Collection<String> keys) {
    return Queries.listOf(session, PEAKS, keys, MemoryTable::read)
        .map(
            rows -> {
              Map<String, Peaks> known = new HashMap<>();
              rows.stream()
                  .filter(row -> row.getValue().seen() > 0)
                  .forEach(row -> known.put(row.getKey(), row.getValue()));
              return known;
            });
  }

  /**
   * Peaks as they are listed.
   *
   * @param at when the newest was measured, ms since 1970
   */
  public record Listed(String key, Peaks peaks, long at) {}

  /**
   * Those that were folded, in order of their keys.
   *
   * @param prefixes with one of which keys begin
   * @param text that is in keys
   * @param after keys from behind this one
   */
  public static Uni<List<Listed>> list(
      StatelessSession session, Collection<String> prefixes, String text, String after, int most) {
    return Queries.list(
        session,
        LIST,
        Map.of("prefixes", Queries.array(prefixes), "text", text, "after", after, "most", most),
        row -> new Listed(row.text(), new Peaks(numbers(row.text()), row.bigint()), row.bigint()));
  }

  /** How long jobs like these have run, ms, by job; nothing of those of which none has. */
  public static Uni<Map<String, Peaks>> times(StatelessSession session, Collection<String> jobs) {
    return Queries.listOf(session, PROFILES, jobs, row -> Map.entry(row.text(), row.text()))
        .chain(
            of ->
                new MemoryTable(session)
                    .peaks(
                        of.stream().map(one -> ExpectedEnd.key(one.getValue())).distinct().toList())
                    .map(known -> byJob(of, known)));
  }

  private static Map<String, Peaks> byJob(
      List<Map.Entry<String, String>> profiles, Map<String, Peaks> known) {
    Map<String, Peaks> times = new HashMap<>();
    for (Map.Entry<String, String> of : profiles) {
      Peaks peaks = known.get(ExpectedEnd.key(of.getValue()));
      if (peaks != null) {
        times.put(of.getKey(), peaks);
      }
    }
    return times;
  }

  private static Map.Entry<String, Peaks> read(Row row) {
    String key = row.text();
    List<Long> folded = numbers(row.text());
    long seen = row.bigint();
    List<Long> fresh = numbers(row.text());
    List<Long> newest =
        Stream.concat(fresh.stream(), folded.stream()).limit(MemoryRules.REMEMBERED).toList();
    return Map.entry(key, new Peaks(newest, seen + fresh.size()));
  }

  private static List<Long> numbers(String text) {
    return text == null || text.isEmpty()
        ? List.of()
        : Stream.of(text.split(",")).map(Long::valueOf).toList();
  }

  @Override
  public Uni<Void> fold() {
    return Queries.execute(session, FOLD_ALL, Map.of("most", MemoryRules.REMEMBERED))
        .replaceWithVoid();
  }

  @Override
  public Uni<Void> fold(List<String> keys) {
    return Queries.execute(
            session, FOLD_SOME, Map.of("most", MemoryRules.REMEMBERED, "keys", Queries.array(keys)))
        .replaceWithVoid();
  }

  @Override
  public Uni<List<String>> unfolded(int most) {
    return Queries.list(
        session,
        "select distinct key from memory_entry order by key limit :most",
        Map.of("most", most),
        Row::text);
  }

  @Override
  public Uni<Void> forget(long before) {
    return Queries.execute(
            session, "delete from memory_seen where at < :before", Map.of("before", before))
        .replaceWithVoid();
  }

  static Write insert(List<MemoryRow> rows) {
    return ROWS.insert(rows, "");
  }
}
