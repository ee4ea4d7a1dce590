package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Statuses that are owed. */
public final class DueStatusTable {
  private static final Batch<Due> MARKS =
      new Batch<Due>("due_status")
          .key("request", "text", Due::request)
          .column("marked", "bigint", Due::marked);
  private static final Batch<Due> ROWS =
      new Batch<Due>("due_status")
          .key("request", "text", Due::request)
          .key("marked", "bigint", Due::marked);

  private DueStatusTable() {}

  /**
   * A status that is owed.
   *
   * @param marked random with each mark: publishing settles it only if it was not marked again
   *     meanwhile, be it in a row that another publisher had deleted in between
   */
  public record Due(String request, long marked) {}

  /**
   * Some that are owed.
   *
   * @param except not of these requests
   */
  public static Uni<List<Due>> some(
      StatelessSession session, int limit, Collection<String> except) {
    return Queries.list(
        session,
        "select d.request, d.marked from due_status d"
            + " where not d.request = any(cast(:keys as text[])) limit :limit",
        Map.of("limit", limit, "keys", Queries.array(except)),
        row -> new Due(row.text(), row.bigint()));
  }

  /** Owes the current statuses of these requests. */
  public static Uni<Void> owe(StatelessSession session, List<String> requests) {
    return Write.run(session, List.of(mark(requests))).replaceWithVoid();
  }

  static Write mark(List<String> requests) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    List<Due> marks =
        requests.stream().map(request -> new Due(request, random.nextLong())).toList();
    return MARKS.insert(marks, "(request) do update set marked = excluded.marked");
  }

  public static Uni<Void> settle(StatelessSession session, List<Due> published) {
    return Write.run(session, List.of(ROWS.delete(published))).replaceWithVoid();
  }
}
