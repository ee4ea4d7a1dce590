package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import io.stoker.dispatcher.store.OwedStatuses;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Statuses that are owed. */
public record DueStatusTable(StatelessSession session) implements OwedStatuses {
  private static final Batch<Due> MARKS =
      new Batch<Due>("due_status")
          .key("request", "text", Due::request)
          .column("marked", "bigint", Due::marked);
  private static final Batch<Due> ROWS =
      new Batch<Due>("due_status")
          .key("request", "text", Due::request)
          .key("marked", "bigint", Due::marked);

  private static final String SOME =
      "select d.request, d.marked, d.queue, "
          + StatusQueries.size("r", "j")
          + " from (select o.request, o.marked, o.queue from due_status o where not o.request ="
          + " any(cast(:keys as text[])) limit :limit) d left join request r on"
          + " r.id = d.request left join job j on j.id = r.job";

  private record Sized(Due due, long bytes) {}

  /**
   * As much as can be held at once, {@code limit} at most.
   *
   * @param except not of these requests
   */
  @Override
  public Uni<Some> some(int limit, Collection<String> except) {
    return Queries.list(
            session,
            SOME,
            Map.of("limit", limit, "keys", Queries.array(except)),
            row -> new Sized(new Due(row.text(), row.bigint(), row.text()), row.integer()))
        .map(
            rows -> {
              List<Sized> first = Slices.first(rows, Sized::bytes, Limits.AT_ONCE);
              boolean more = rows.size() == limit || first.size() < rows.size();
              return new Some(first.stream().map(Sized::due).toList(), more);
            });
  }

  /** Owes the current statuses of these requests. */
  @Override
  public Uni<Void> owe(List<String> requests) {
    return Write.run(session, List.of(mark(requests))).replaceWithVoid();
  }

  static Write mark(List<String> requests) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    List<Due> marks =
        requests.stream().map(request -> new Due(request, random.nextLong(), null)).toList();
    return MARKS.insert(marks, "(request) do update set marked = excluded.marked");
  }

  @Override
  public Uni<Void> settle(List<Due> published) {
    return Write.run(session, List.of(ROWS.delete(published))).replaceWithVoid();
  }
}
