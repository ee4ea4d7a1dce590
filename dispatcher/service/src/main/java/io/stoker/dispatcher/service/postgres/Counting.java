package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.postgres.RequestListing.Column;
import io.stoker.dispatcher.service.postgres.RequestListing.Count;
import io.stoker.dispatcher.service.postgres.RequestListing.Counts;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Counts requests that fit by a column. */
record Counting(RequestSearch search, Column column)
    implements LookThrough.Question<Counting.Counted> {
  /** Different values that are told apart. */
  private static final int MOST_VALUES = 200;

  /** Those that fit, by a column. */
  record Counted(Map<Optional<String>, Count> byValue) {
    Counts counts(LookThrough.Seen<Counted> seen) {
      List<Count> all =
          byValue.values().stream()
              .sorted(
                  Comparator.comparing(Count::count, Comparator.reverseOrder())
                      .thenComparing(Count::value, Comparator.nullsLast(Comparator.naturalOrder())))
              .toList();
      return new Counts(
          all.subList(0, Math.min(all.size(), MOST_VALUES)),
          all.size() > MOST_VALUES,
          seen.end().isEmpty(),
          seen.looked());
    }
  }

  private record Line(boolean fits, Count count, String oldest) {
    static Line of(Row row) {
      boolean fits = row.flag();
      String value = row.text();
      long count = row.bigint();
      String newest = RequestColumns.place(row.text()).orElseThrow().id();
      return new Line(fits, new Count(value, count, newest), row.text());
    }
  }

  @Override
  public Counted nothing() {
    return new Counted(Map.of());
  }

  @Override
  public Uni<LookThrough.Answer<Counted>> ask(
      StatelessSession session, String base, Map<String, Object> parameters, Counted before) {
    // Those that do not fit are counted, too: so it is known how many were looked at.
    String sql =
        """
        select fits, case when fits then value end, count(*), max(place), min(place) from (
          select (%1$s) is true as fits, %2$s as value, %3$s as place
          from (%4$s limit :window) w left join job j on j.id = w.job) one
        group by 1, 2
        """
            .formatted(search.loose(parameters), column.sql, RequestColumns.PLACE, base);
    return Queries.list(session, sql, parameters, Line::of)
        .map(
            lines -> {
              Map<Optional<String>, Count> all = new HashMap<>(before.byValue());
              lines.stream()
                  .filter(Line::fits)
                  .map(Line::count)
                  .forEach(one -> all.merge(Optional.ofNullable(one.value()), one, Count::plus));
              long looked = lines.stream().mapToLong(line -> line.count().count()).sum();
              return new LookThrough.Answer<>(
                  new Counted(all),
                  OptionalLong.of(looked),
                  lines.stream()
                      .map(Line::oldest)
                      .min(Comparator.naturalOrder())
                      .flatMap(RequestColumns::place));
            });
  }
}
