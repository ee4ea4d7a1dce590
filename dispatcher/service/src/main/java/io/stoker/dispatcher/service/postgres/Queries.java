package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.hibernate.reactive.mutiny.impl.MutinyStatelessSessionImpl;
import org.hibernate.reactive.pool.ReactiveConnection;
import org.hibernate.reactive.pool.ReactiveConnection.Result;

/**
 * Runs native queries and maps their rows: on the session's connection and in its transaction, but
 * without the layers of its queries. Those find out the types of a query's columns each time, and
 * look at each value several times, which took more than the query where a pass reads hundreds of
 * rows. Queries of one session that do not wait for each other's answers reach the database at
 * once, and are answered in order.
 */
final class Queries {
  /** The clock by which all is due, as an expression: ms since 1970. See ADR 0025. */
  static final String CLOCK =
      "(cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"
          + " + (select t.correction_ms from clock t))";

  /**
   * The same, read once by a statement. Rows are compared with this: the clock goes on while a
   * statement runs, so what is compared with the clock itself is compared row by row, in the whole
   * table, and no index is entered there.
   */
  static final String CLOCK_ONCE = "(select " + CLOCK + ")";

  private Queries() {}

  /** All rows; a query of one column is given it as the row's only one. */
  static <T> Uni<List<T>> list(
      StatelessSession session, String sql, Map<String, Object> parameters, Function<Row, T> map) {
    Statement statement = Statement.of(sql);
    Object[] values = statement.values(parameters);
    return Uni.createFrom()
        .completionStage(() -> send(session, on -> on.select(statement.sql(), values)))
        .map(rows -> mapped(rows, map));
  }

  /** As {@link #list}, asking nothing where there is nothing to ask for. */
  static <T> Uni<List<T>> listOf(
      StatelessSession session, String sql, Collection<String> keys, Function<Row, T> map) {
    if (keys.isEmpty()) {
      return Uni.createFrom().item(List.of());
    }
    return list(session, sql, Map.of("keys", array(keys)), map);
  }

  /**
   * Keys in their order, cut so that what is read of each list can be held at once.
   *
   * @param sizes asks for each of {@code :keys} and the bytes of what may be large of it
   */
  static Uni<List<List<String>>> slices(
      StatelessSession session, String sizes, Collection<String> keys) {
    return byKeyOf(session, sizes, keys, row -> (long) row.integer())
        .map(
            bytes ->
                Slices.of(List.copyOf(keys), key -> bytes.getOrDefault(key, 0L), Limits.AT_ONCE));
  }

  /** The first row; nothing if there is none. */
  static <T> Uni<Optional<T>> first(
      StatelessSession session, String sql, Map<String, Object> parameters, Function<Row, T> map) {
    return list(session, sql, parameters, map).map(rows -> rows.stream().findFirst());
  }

  /** The rest of each row, by the text that it begins with, which no other one does. */
  static <T> Uni<Map<String, T>> byKey(
      StatelessSession session, String sql, Map<String, Object> parameters, Function<Row, T> map) {
    return list(session, sql, parameters, row -> Map.entry(row.text(), map.apply(row)))
        .map(
            rows ->
                rows.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /** As {@link #byKey}, asking nothing where there is nothing to ask for. */
  static <T> Uni<Map<String, T>> byKeyOf(
      StatelessSession session, String sql, Collection<String> keys, Function<Row, T> map) {
    return keys.isEmpty()
        ? Uni.createFrom().item(new HashMap<>())
        : byKey(session, sql, Map.of("keys", array(keys)), map);
  }

  /** The one row of a query. */
  static <T> Uni<T> single(
      StatelessSession session, String sql, Map<String, Object> parameters, Function<Row, T> map) {
    return list(session, sql, parameters, map).map(List::getFirst);
  }

  static Uni<Integer> execute(
      StatelessSession session, String sql, Map<String, Object> parameters) {
    Statement statement = Statement.of(sql);
    Object[] values = statement.values(parameters);
    return Uni.createFrom()
        .completionStage(() -> send(session, on -> on.update(statement.sql(), values)));
  }

  private static <T> CompletionStage<T> send(
      StatelessSession session, Function<ReactiveConnection, CompletionStage<T>> statement) {
    ReactiveConnection connection = connection(session);
    PipelinedTransaction transaction = PipelinedTransaction.on(connection);
    return transaction == null
        ? statement.apply(connection)
        : transaction.send(() -> statement.apply(connection));
  }

  /**
   * Runs the last statements of a transaction, of which none needs another one's answer, with the
   * COMMIT right behind them. Nothing may follow but what needs no database.
   *
   * @param statements that are sent as soon as somebody subscribes
   */
  static <T> Uni<T> last(StatelessSession session, Uni<T> statements) {
    return Uni.createFrom()
        .deferred(
            () -> {
              PipelinedTransaction transaction = PipelinedTransaction.on(connection(session));
              return transaction == null ? statements : transaction.last(statements);
            });
  }

  private static <T> List<T> mapped(Result rows, Function<Row, T> map) {
    List<T> mapped = new ArrayList<>(rows.size());
    while (rows.hasNext()) {
      mapped.add(map.apply(new Row(rows.next())));
    }
    return mapped;
  }

  static ReactiveConnection connection(StatelessSession session) {
    return ((MutinyStatelessSessionImpl) session).getReactiveConnection();
  }

  static String[] array(Collection<String> values) {
    return values.toArray(String[]::new);
  }
}
