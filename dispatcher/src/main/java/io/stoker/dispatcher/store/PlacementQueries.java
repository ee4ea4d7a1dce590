package io.stoker.dispatcher.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.StoredRequest;
import io.stoker.dispatcher.placement.PlacementMessage;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Reads what a placement says: the attempt, its job, what to run, results of dependencies. */
public final class PlacementQueries {
  private PlacementQueries() {}

  /** An open attempt and the message that gives it to its host. */
  public record Placed(AttemptRow attempt, ToAgent.Place message) {}

  public static Uni<List<Placed>> placed(StatelessSession session, Collection<String> jobs) {
    return AttemptTable.ofJobs(session, jobs)
        .chain(
            attempts ->
                JobTable.read(session, jobs)
                    .chain(
                        rows ->
                            requests(session, rows)
                                .chain(
                                    requests ->
                                        results(session, requests.values())
                                            .map(
                                                results ->
                                                    join(attempts, rows, requests, results)))));
  }

  private static Uni<Map<String, JobRequest>> requests(
      StatelessSession session, List<JobRow> jobs) {
    return RequestTable.read(session, jobs.stream().map(JobRow::firstRequest).toList())
        .map(
            rows ->
                rows.stream()
                    .collect(Collectors.toMap(row -> row.id(), row -> StoredRequest.parse(row))));
  }

  private static Uni<Map<String, JsonNode>> results(
      StatelessSession session, Collection<JobRequest> requests) {
    List<String> dependencies =
        requests.stream().flatMap(request -> request.dependsOn().stream()).distinct().toList();
    String sql =
        "select r.id, j.result from request r join job j on j.id = r.job where r.id = any(cast(:keys"
            + " as text[])) and j.result is not null";
    return Queries.listOf(
            session,
            sql,
            dependencies,
            row -> Map.entry(row.text(), row.json(JsonNode.class, null)))
        .map(
            rows -> {
              Map<String, JsonNode> results = new HashMap<>();
              rows.forEach(row -> results.put(row.getKey(), row.getValue()));
              return results;
            });
  }

  private static List<Placed> join(
      List<AttemptRow> attempts,
      List<JobRow> jobs,
      Map<String, JobRequest> requests,
      Map<String, JsonNode> results) {
    Map<String, JobRow> byId = jobs.stream().collect(Collectors.toMap(JobRow::id, job -> job));
    return attempts.stream()
        .filter(attempt -> byId.get(attempt.job()).attempt() == attempt.number())
        .map(
            attempt -> {
              JobRow job = byId.get(attempt.job());
              return new Placed(
                  attempt,
                  PlacementMessage.of(attempt, job, requests.get(job.firstRequest()), results));
            })
        .toList();
  }
}
