package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.status.StatusView;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Reads what statuses show. */
public final class StatusQueries {
  private StatusQueries() {}

  /** The current views of these requests; unknown ids and placeholders have none. */
  public static Uni<List<RequestStatus>> views(
      StatelessSession session, Collection<String> requests) {
    return RequestTable.read(session, requests)
        .chain(
            rows -> {
              List<String> jobs =
                  rows.stream().map(RequestRow::job).filter(Objects::nonNull).distinct().toList();
              return JobTable.read(session, jobs)
                  .chain(held -> Database.now(session).map(now -> views(rows, held, now)));
            });
  }

  private static List<RequestStatus> views(List<RequestRow> rows, List<JobRow> jobs, long now) {
    Map<String, JobRow> byId = jobs.stream().collect(Collectors.toMap(JobRow::id, job -> job));
    return rows.stream()
        .map(row -> StatusView.of(row, Optional.ofNullable(byId.get(row.job())), now))
        .flatMap(Optional::stream)
        .toList();
  }

  /** The requests that started these jobs. */
  public static Uni<List<String>> firstRequests(StatelessSession session, Collection<String> jobs) {
    String sql = "select j.first_request from job j where j.id = any(cast(:keys as text[]))";
    return Queries.listOf(session, sql, jobs, Row::text);
  }

  /** The versions under which accepted requests would be published now. */
  public static Uni<Map<String, Long>> versions(
      StatelessSession session, Collection<String> requests) {
    String sql =
        "select r.id, r.version + coalesce(j.changes, 0) from request r left join job j on j.id ="
            + " r.job where r.id = any(cast(:keys as text[])) and r.spec is not null";
    return Queries.listOf(session, sql, requests, row -> Map.entry(row.text(), row.bigint()))
        .map(
            rows -> {
              Map<String, Long> versions = new HashMap<>();
              rows.forEach(row -> versions.put(row.getKey(), row.getValue()));
              return versions;
            });
  }
}
