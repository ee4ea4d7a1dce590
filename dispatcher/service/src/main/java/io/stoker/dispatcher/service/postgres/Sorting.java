package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.postgres.RequestListing.Order;
import io.stoker.dispatcher.service.postgres.RequestListing.Place;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Puts requests that fit in the order of a column: the first of them. */
record Sorting(RequestSearch search, Order order, int limit)
    implements LookThrough.Question<Sorting.Best> {
  /**
   * One that fits.
   *
   * @param value of the column, null if it has none
   */
  record Ranked(Place place, Long value) {
    static Comparator<Ranked> by(Order order) {
      Comparator<Long> values = Comparator.naturalOrder();
      return Comparator.comparing(
              Ranked::value, Comparator.nullsLast(order.descending() ? values.reversed() : values))
          .thenComparing(
              Comparator.comparing((Ranked one) -> one.place().seq())
                  .thenComparing(one -> one.place().id())
                  .reversed());
    }
  }

  /** The first by a column, of so many that fit. */
  record Best(List<Ranked> first, long fit) {}

  private record Line(long looked, Optional<Place> last, Optional<Ranked> ranked, long fit) {
    static Line of(Row row) {
      long looked = row.bigint();
      Optional<Place> last = RequestColumns.place(row.text());
      Optional<Place> place = RequestColumns.place(row.text());
      Long value = row.bigintOrNull();
      Long fit = row.bigintOrNull();
      return new Line(
          looked, last, place.map(one -> new Ranked(one, value)), fit == null ? 0 : fit);
    }
  }

  @Override
  public Best nothing() {
    return new Best(List.of(), 0);
  }

  @Override
  public Uni<LookThrough.Answer<Best>> ask(
      StatelessSession session, String base, Map<String, Object> parameters, Best before) {
    String sql =
        """
        with w as (%1$s limit :window),
        f as (
          select %2$s as place, cast(%3$s as bigint) as value, count(*) over () as fit
          from w left join job j on j.id = w.job where %4$s
          order by value %5$s nulls last, place desc limit :most)
        select one.looked, one.last, f.place, f.value, f.fit
        from (select count(*) as looked, min(%2$s) as last from w) one left join f on true
        """
            .formatted(
                base,
                RequestColumns.PLACE,
                order.by().sql,
                search.loose(parameters),
                order.descending() ? "desc" : "asc");
    parameters.put("most", limit);
    return Queries.list(session, sql, parameters, Line::of)
        .map(
            lines ->
                new LookThrough.Answer<>(
                    new Best(
                        Stream.concat(
                                before.first().stream(),
                                lines.stream().map(Line::ranked).flatMap(Optional::stream))
                            .sorted(Ranked.by(order))
                            .limit(limit)
                            .toList(),
                        before.fit() + lines.getFirst().fit()),
                    OptionalLong.of(lines.getFirst().looked()),
                    lines.getFirst().last()));
  }
}
