package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.store.Dependencies;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Dependencies that are not settled. */
public record DependencyTable(StatelessSession session) implements Dependencies {
  private static final Batch<DependencyRow> ROWS =
      new Batch<DependencyRow>("dependency")
          .key("depends_on", "text", DependencyRow::dependsOn)
          .key("dependent", "text", DependencyRow::dependent);

  private static DependencyRow map(Row row) {
    return new DependencyRow(row.text(), row.text());
  }

  /** Which of these requests others depend on. */
  @Override
  public Uni<List<String>> dependedOnAmong(Collection<String> requests) {
    String sql =
        "select distinct d.depends_on from dependency d where d.depends_on = any(cast(:keys as"
            + " text[]))";
    return Queries.listOf(session, sql, requests, Row::text);
  }

  /** Dependencies on a request in order of dependent. */
  @Override
  public Uni<List<DependencyRow>> on(String request, int limit) {
    String sql =
        "select d.dependent, d.depends_on from dependency d where d.depends_on = :on order by"
            + " d.dependent limit :limit";
    return Queries.list(session, sql, Map.of("on", request, "limit", limit), DependencyTable::map);
  }

  @Override
  public Uni<Void> lockCycles() {
    return Locks.cycles(session);
  }

  @Override
  public Uni<List<DependencyRow>> reachableFrom(Collection<String> requests) {
    String sql =
        """
        with recursive reach as (
          select d.dependent, d.depends_on from dependency d
          where d.dependent = any(cast(:keys as text[]))
          union
          select d.dependent, d.depends_on from dependency d join reach r on d.dependent = r.depends_on)
        select dependent, depends_on from reach
        """;
    return Queries.listOf(session, sql, requests, DependencyTable::map);
  }

  /** For each of these requests that waits for one nobody posted: it, and that one. */
  @Override
  public Uni<List<DependencyRow>> neverPosted(Collection<String> requests) {
    String sql =
        "select d.dependent, min(d.depends_on) from dependency d left join request r on r.id ="
            + " d.depends_on where d.dependent = any(cast(:keys as text[])) and r.spec is null"
            + " group by d.dependent";
    return Queries.listOf(session, sql, requests, DependencyTable::map);
  }

  static Write insert(List<DependencyRow> rows) {
    return ROWS.insert(rows, "do nothing");
  }

  static Write delete(List<DependencyRow> rows) {
    return ROWS.delete(rows);
  }
}
