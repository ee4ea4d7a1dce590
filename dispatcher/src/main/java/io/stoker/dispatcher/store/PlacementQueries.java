package io.stoker.dispatcher.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.StoredRequest;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.MemoryKeys;
import io.stoker.dispatcher.placement.PlacementMessage;
import io.stoker.dispatcher.placement.Running;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Reads what a placement says: the attempt, its job, what to run, results of dependencies. */
public final class PlacementQueries {
  private PlacementQueries() {}

  /** An open attempt and the message that gives it to its host. */
  public record Placed(AttemptRow attempt, ToAgent.Place message) {}

  /** What is expected of jobs; see {@link io.stoker.dispatcher.memory.MemoryBook}. */
  public interface Estimates
      extends Function<Collection<MemoryKeys>, Uni<Map<MemoryKeys, Estimate>>> {}

  /** What was read of attempts and their jobs. */
  private record Known(
      List<AttemptRow> attempts,
      Map<String, JobRow> jobs,
      Map<String, JobRequest> requests,
      Map<String, JsonNode> results) {
    JobRequest request(JobRow job) {
      return requests.get(job.firstRequest());
    }

    List<MemoryKeys> keys() {
      return jobs.values().stream()
          .flatMap(job -> PlacementMessage.hostKeys(job, request(job)).stream())
          .toList();
    }
  }

  public static Uni<List<Placed>> placed(
      StatelessSession session, Collection<String> jobs, Estimates estimates) {
    return known(session, jobs)
        .chain(
            known -> {
              List<MemoryKeys> keys = known.keys();
              return keys.isEmpty()
                  ? Uni.createFrom().item(join(known, Map.of()))
                  : estimates.apply(keys).map(expected -> join(known, expected));
            });
  }

  private static Uni<Known> known(StatelessSession session, Collection<String> jobs) {
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
                                                    new Known(
                                                        attempts,
                                                        byId(rows),
                                                        requests,
                                                        results)))));
  }

  private static Map<String, JobRow> byId(List<JobRow> jobs) {
    return jobs.stream().collect(Collectors.toMap(JobRow::id, job -> job));
  }

  private static final String RUNNING =
      "select j.id, j.first_request, j.priority, j.policy, j.preemptions from job j"
          + " where j.id = any(cast(:keys as text[]))";

  /**
   * The jobs of some attempts.
   *
   * @param open all open attempts: with those that the jobs have on other hosts
   */
  public static Uni<List<Running>> running(
      StatelessSession session, List<AttemptRow> some, List<AttemptRow> open) {
    Set<String> jobs = some.stream().map(AttemptRow::job).collect(Collectors.toSet());
    Map<String, List<AttemptRow>> members =
        open.stream()
            .filter(row -> jobs.contains(row.job()))
            .collect(Collectors.groupingBy(AttemptRow::job));
    return Queries.listOf(session, RUNNING, jobs, row -> running(row, members));
  }

  private static Running running(Row row, Map<String, List<AttemptRow>> members) {
    String job = row.text();
    return new Running(
        job,
        row.text(),
        row.integer(),
        JobTable.policy(row).preemptible(),
        row.integer(),
        members.get(job));
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
            row -> Map.entry(row.text(), row.jsonInFull(JsonNode.class)))
        .map(
            rows -> {
              Map<String, JsonNode> results = new HashMap<>();
              rows.forEach(row -> results.put(row.getKey(), row.getValue()));
              return results;
            });
  }

  private static List<Placed> join(Known known, Map<MemoryKeys, Estimate> expected) {
    return known.attempts().stream()
        .filter(attempt -> known.jobs().get(attempt.job()).attempt() == attempt.number())
        .map(
            attempt -> {
              JobRow job = known.jobs().get(attempt.job());
              JobRequest request = known.request(job);
              Estimate ofHost =
                  PlacementMessage.hostKeys(job, request).map(expected::get).orElse(null);
              return new Placed(
                  attempt, PlacementMessage.of(attempt, job, request, known.results(), ofHost));
            })
        .toList();
  }
}
