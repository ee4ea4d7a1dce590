package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Runs native queries and maps their rows. */
final class Queries {
  /** The database's clock, as an expression: ms since 1970. */
  static final String CLOCK = "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";

  private Queries() {}

  /** All rows; a query of one column is given it as the row's only one. */
  static <T> Uni<List<T>> list(
      StatelessSession session, String sql, Map<String, Object> parameters, Function<Row, T> map) {
    var query = session.createNativeQuery(sql, Object.class);
    parameters.forEach(query::setParameter);
    return query
        .getResultList()
        .map(
            rows ->
                rows.stream()
                    .map(row -> row instanceof Object[] many ? many : new Object[] {row})
                    .map(row -> map.apply(new Row(row)))
                    .toList());
  }

  /** As {@link #list}, asking nothing where there is nothing to ask for. */
  static <T> Uni<List<T>> listOf(
      StatelessSession session, String sql, Collection<String> keys, Function<Row, T> map) {
    if (keys.isEmpty()) {
      return Uni.createFrom().item(List.of());
    }
    return list(session, sql, Map.of("keys", array(keys)), map);
  }

  /** The one row of a query. */
  static <T> Uni<T> single(
      StatelessSession session, String sql, Map<String, Object> parameters, Function<Row, T> map) {
    return list(session, sql, parameters, map).map(List::getFirst);
  }

  static Uni<Integer> execute(
      StatelessSession session, String sql, Map<String, Object> parameters) {
    var query = session.createNativeQuery(sql);
    parameters.forEach(query::setParameter);
    return query.executeUpdate();
  }

  static String[] array(Collection<String> values) {
    return values.toArray(String[]::new);
  }
}
