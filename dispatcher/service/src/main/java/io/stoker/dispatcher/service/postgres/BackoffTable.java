package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.store.Backoffs;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Failed jobs that wait before their next attempt. */
public record BackoffTable(StatelessSession session) implements Backoffs {
  private static final Batch<BackoffRow> ROWS = new Batch<>("backoff", 1, BackoffTable::map);
  private static final String SELECT = ROWS.select("b");

  /** Each from its end of the index: what lies between them may be very many. */
  private static final String SOME =
      SELECT
          + "where b.due_at %s and not b.job = any(cast(:keys as text[])) order by b.due_at limit :most";

  private static final String DUE =
      "select * from ((%s) union all (%s)) b order by b.due_at limit :most"
          .formatted(SOME.formatted("<= :now"), SOME.formatted("> :far"));

  private static final Batch<String> JOBS =
      new Batch<String>("backoff").key("job", "text", job -> job);

  @Override
  public Uni<List<BackoffRow>> due(long now, long far, int most, Collection<String> except) {
    return Queries.list(
        session,
        DUE,
        Map.of("now", now, "far", far, "most", most, "keys", Queries.array(except)),
        ROWS::map);
  }

  /** When the next wait is over, ms since 1970; nothing if none waits. */
  @Override
  public Uni<Optional<Long>> next() {
    return Queries.single(
        session,
        "select min(b.due_at) from backoff b",
        Map.of(),
        row -> Optional.ofNullable(row.bigintOrNull()));
  }

  /** Nothing for a job that does not wait. */
  public static Uni<Optional<BackoffRow>> of(StatelessSession session, String job) {
    return Queries.first(session, SELECT + "where b.job = :job", Map.of("job", job), ROWS::map);
  }

  private static BackoffRow map(Row row) {
    return new BackoffRow(
        row.at("job", BackoffRow::job).text(),
        row.at("due_at", BackoffRow::dueAt).bigint(),
        row.at("category", BackoffRow::category).constant(FailureCategory.class));
  }

  static Write insert(List<BackoffRow> rows) {
    return ROWS.insert(
        rows, "(job) do update set due_at = excluded.due_at, category = excluded.category");
  }

  static Write delete(List<String> jobs) {
    return JOBS.delete(jobs);
  }
}
