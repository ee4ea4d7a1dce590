package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.dispatcher.store.Statuses;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Reads what statuses show. */
public record StatusQueries(StatelessSession session) implements Statuses {
  /** An id that no request and no job may have. */
  private static final List<String> NOBODY = List.of("");

  private static final String SIZES =
      "select r.id, "
          + size("r", "j")
          + " from request r left join job j on j.id = r.job where r.id = any(cast(:keys as"
          + " text[]))";

  /** Bytes of what may be large of a request and its job, as an expression. */
  static String size(String request, String job) {
    return Stream.of(request + ".spec", request + ".resolved", job + ".result", job + ".progress")
        .map("coalesce(octet_length(%s), 0)"::formatted)
        .collect(Collectors.joining(" + "));
  }

  /** These requests in their order, cut so that the views of each list can be held at once. */
  @Override
  public Uni<List<List<String>>> slices(Collection<String> ids) {
    return Queries.slices(session, SIZES, ids);
  }

  /** The first of their {@link #slices}; empty for none. */
  static Uni<List<String>> firstSlice(StatelessSession session, Collection<String> ids) {
    return new StatusQueries(session)
        .slices(ids)
        .map(slices -> slices.isEmpty() ? List.of() : slices.getFirst());
  }

  /**
   * The current views of these requests; unknown ids and placeholders have none. All of them are
   * held at once: of many, ask for one of their {@link #slices} after the other.
   */
  @Override
  public Uni<List<RequestStatus>> views(Collection<String> requests) {
    return new RequestTable(session)
        .read(requests)
        .chain(
            rows -> {
              List<String> jobs =
                  rows.stream().map(RequestRow::job).filter(Objects::nonNull).distinct().toList();
              return new JobTable(session)
                  .read(jobs)
                  .chain(held -> Database.now(session).map(now -> views(rows, held, now)));
            });
  }

  /** Makes the queries of {@link #views} for nobody, so that they are translated. */
  public static Uni<Void> rehearse(StatelessSession session) {
    return new RequestTable(session)
        .read(NOBODY)
        .chain(() -> new JobTable(session).read(NOBODY))
        .chain(() -> Database.now(session))
        .replaceWithVoid();
  }

  private static List<RequestStatus> views(List<RequestRow> rows, List<JobRow> jobs, long now) {
    Map<String, JobRow> byId = jobs.stream().collect(Collectors.toMap(JobRow::id, job -> job));
    return rows.stream()
        .map(row -> StatusView.of(row, Optional.ofNullable(byId.get(row.job())), now))
        .flatMap(Optional::stream)
        .toList();
  }

  /** The requests that started these jobs. */
  @Override
  public Uni<List<String>> firstRequests(Collection<String> jobs) {
    String sql = "select j.first_request from job j where j.id = any(cast(:keys as text[]))";
    return Queries.listOf(session, sql, jobs, Row::text);
  }

  /**
   * Of the requests that were accepted, those that would be published now under a version above the
   * given one, with that version. Next to none, as a rule: so hardly a row comes back.
   */
  @Override
  public Uni<Map<String, Long>> versionsAbove(Map<String, Long> versions) {
    String sql =
        "select r.id, v.published from (select unnest(cast(:ids as text[])) as id,"
            + " unnest(cast(:versions as bigint[])) as version) u join request r on r.id = u.id"
            + " left join job j on j.id = r.job cross"
            + " join lateral (select r.version + case when r.ended is null then coalesce(j.changes,"
            + " 0) else 0 end as published) v where r.spec is not null and v.published >"
            + " u.version";
    Map<String, Object> parameters =
        Map.of(
            "ids",
            Queries.array(versions.keySet()),
            "versions",
            versions.values().toArray(Long[]::new));
    return Queries.byKey(session, sql, parameters, Row::bigint);
  }
}
