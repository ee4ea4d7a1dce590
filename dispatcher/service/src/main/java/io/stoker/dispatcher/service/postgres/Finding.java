package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.postgres.RequestListing.Place;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The first of those that fit, in order of arrival. */
record Finding(RequestSearch search, boolean oldestFirst, int limit)
    implements LookThrough.Question<List<Place>> {
  private record Line(Long looked, Optional<Place> last, Optional<Place> place) {
    static Line of(Row row) {
      return new Line(
          row.bigintOrNull(), RequestColumns.place(row.text()), RequestColumns.place(row.text()));
    }
  }

  @Override
  public List<Place> nothing() {
    return List.of();
  }

  @Override
  public Uni<LookThrough.Answer<List<Place>>> ask(
      StatelessSession session, String base, Map<String, Object> parameters, List<Place> before) {
    int wanted = limit - before.size();
    boolean loose = search.filter().isLoose();
    if (!loose) {
      parameters.put("window", wanted);
    }
    // How far it looked is asked only where it came to the end: else it stops before.
    String sql =
        """
        with w as (%1$s limit :window),
        f as (
          select %2$s as place from w left join job j on j.id = w.job
          where %3$s%4$s limit :most)
        select case when part.short then (select count(*) from w) end,
          case when part.short then (select %5$s(%2$s) from w) end, f.place
        from (select (select count(*) from f) < :most as short) part left join f on true
        order by f.place %6$s
        """
            .formatted(
                base,
                RequestColumns.PLACE,
                search.loose(parameters),
                RequestSearch.inOrderOf("w", oldestFirst),
                oldestFirst ? "max" : "min",
                oldestFirst ? "asc" : "desc");
    parameters.put("most", wanted);
    return Queries.list(session, sql, parameters, Line::of)
        .map(
            lines -> {
              List<Place> all =
                  Stream.concat(
                          before.stream(),
                          lines.stream().map(Line::place).flatMap(Optional::stream))
                      .toList();
              Line first = lines.getFirst();
              // All that an index finds were asked for.
              return first.looked() == null || !loose
                  ? LookThrough.Answer.full(all)
                  : new LookThrough.Answer<>(all, OptionalLong.of(first.looked()), first.last());
            });
  }
}
