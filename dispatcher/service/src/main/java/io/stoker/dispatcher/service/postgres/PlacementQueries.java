package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.request.Dependency;
import io.stoker.common.request.JobRequest;
import io.stoker.common.size.Limits;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Input;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.placement.Running;
import io.stoker.dispatcher.store.Placements;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Reads what a placement says: the attempt, its job, what to run, results of dependencies. */
public record PlacementQueries(StatelessSession session) implements Placements {
  @Override
  public Uni<List<List<String>>> slices(List<String> jobs) {
    String sql =
        "select j.id, coalesce(octet_length(r.spec), 0) + coalesce(octet_length(r.resolved), 0)"
            + " from job j join request r on r.id = j.first_request where j.id = any(cast(:keys as"
            + " text[]))";
    return Queries.slices(session, sql, jobs);
  }

  @Override
  public Uni<Known> known(Collection<String> jobs) {
    return AttemptTable.ofJobs(session, jobs)
        .chain(
            attempts ->
                new JobTable(session)
                    .read(jobs)
                    .chain(
                        rows -> firsts(rows).chain(firsts -> known(attempts, byId(rows), firsts))));
  }

  private Uni<Known> known(
      List<AttemptRow> attempts, Map<String, JobRow> jobs, List<RequestRow> firsts) {
    Map<String, JobRequest> requests =
        firsts.stream().collect(Collectors.toMap(RequestRow::id, StoredRequest::parse));
    Map<String, String> senders = Placements.senders(firsts);
    return ends(requests.values()).chain(ends -> sizes(attempts, jobs, requests, senders, ends));
  }

  /** How those ended that had to do more than to succeed. */
  private Uni<Map<String, RequestState>> ends(Collection<JobRequest> requests) {
    List<String> conditional =
        requests.stream()
            .flatMap(request -> request.dependencies().stream())
            .filter(Dependency::conditional)
            .map(Dependency::id)
            .distinct()
            .toList();
    return conditional.isEmpty()
        ? Uni.createFrom().item(Map.of())
        : new RequestTable(session).inputs(conditional).map(PlacementQueries::ends);
  }

  private static Map<String, RequestState> ends(Map<String, Input> inputs) {
    Map<String, RequestState> ends = new HashMap<>();
    inputs.forEach((id, input) -> ends.put(id, input.end()));
    return ends;
  }

  /**
   * @param bytes of the result, negative if it has none
   */
  private record Sized(String id, long bytes, String small) {}

  private Uni<Known> sizes(
      List<AttemptRow> attempts,
      Map<String, JobRow> jobs,
      Map<String, JobRequest> requests,
      Map<String, String> senders,
      Map<String, RequestState> ends) {
    List<String> dependencies =
        requests.values().stream()
            .flatMap(request -> request.dependsOn().stream())
            .distinct()
            .toList();
    return Queries.listOf(
            session,
            SIZES,
            dependencies,
            row -> new Sized(row.text(), row.integer(), row.jsonText()))
        .map(
            rows -> {
              Map<String, JsonNode> small = new HashMap<>();
              Map<String, Long> sizes = new HashMap<>();
              Set<String> gone = new HashSet<>(dependencies);
              for (Sized row : rows) {
                gone.remove(row.id());
                if (row.bytes() >= 0) {
                  sizes.put(row.id(), row.bytes());
                }
                if (row.small() != null) {
                  small.put(row.id(), Json.raw(row.small()));
                }
              }
              return new Known(
                  attempts, jobs, requests, senders, new Inputs(ends, small, sizes, gone));
            });
  }

  private static Map<String, JobRow> byId(List<JobRow> jobs) {
    return jobs.stream().collect(Collectors.toMap(JobRow::id, job -> job));
  }

  /** Of those that were posted, or ended: who is only named was dropped before. */
  private static final String SIZES =
      "select r.id, coalesce(octet_length(j.result), -1), case when octet_length(j.result) <= %d then j.result end"
              .formatted(Limits.RESULT_WITH_ROW)
          + " from request r left join job j on j.id = r.job"
          + " where r.id = any(cast(:keys as text[])) and (r.seq > 0 or r.ended is not null)";

  private static final String RESULTS =
      "select r.id, j.result from request r join job j on j.id = r.job where r.id = any(cast(:keys"
          + " as text[])) and j.result is not null";
  private static final String RUNNING =
      "select j.id, j.first_request, j.priority, j.policy, j.preemptions from job j"
          + " where j.id = any(cast(:keys as text[]))";

  @Override
  public Uni<List<Running>> running(List<AttemptRow> some, List<AttemptRow> open) {
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

  private Uni<List<RequestRow>> firsts(List<JobRow> jobs) {
    return new RequestTable(session)
        .read(jobs.stream().map(job -> job.asked().firstRequest()).toList());
  }

  @Override
  public Uni<Map<String, JsonNode>> results(Collection<String> requests) {
    return Queries.byKeyOf(session, RESULTS, requests, row -> Json.raw(row.jsonText()));
  }
}
