package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.Dependency;
import io.stoker.common.request.JobRequest;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Input;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.ledger.StoredRequest;
import io.stoker.dispatcher.memory.Estimate;
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

  /** What is expected of jobs; see {@link io.stoker.dispatcher.service.memory.MemoryBook}. */
  public interface Estimates
      extends Function<Collection<MemoryKeys>, Uni<Map<MemoryKeys, Estimate>>> {}

  /**
   * What was read of attempts and their jobs.
   *
   * @param ends of dependencies that have a condition
   * @param small results of dependencies that are read with their sizes
   * @param sizes bytes of the results of dependencies, of those that have one
   */
  public record Known(
      List<AttemptRow> attempts,
      Map<String, JobRow> jobs,
      Map<String, JobRequest> requests,
      Map<String, RequestState> ends,
      Map<String, JsonNode> small,
      Map<String, Long> sizes) {
    private JobRequest request(JobRow job) {
      return requests.get(job.firstRequest());
    }

    private JobRequest request(AttemptRow attempt) {
      return request(jobs.get(attempt.job()));
    }

    /** The attempts that are their jobs' newest. */
    public List<AttemptRow> newest() {
      return attempts.stream()
          .filter(attempt -> jobs.get(attempt.job()).attempt() == attempt.number())
          .toList();
    }

    /** Those that are to be told their hosts, cut so that each list can be held at once. */
    public List<List<AttemptRow>> untold() {
      List<AttemptRow> untold = newest().stream().filter(attempt -> !attempt.accepted()).toList();
      return Slices.of(untold, this::bytes, Limits.AT_ONCE);
    }

    /** How many bytes the placement of an attempt has, about. */
    public long bytes(AttemptRow attempt) {
      JobRequest request = request(attempt);
      String spec = request.resolved().orElse(request.spec());
      return spec.length()
          + request.dependsOn().stream().mapToLong(id -> sizes.getOrDefault(id, 0L)).sum();
    }

    private List<String> large(List<AttemptRow> some) {
      return some.stream()
          .flatMap(attempt -> request(attempt).dependsOn().stream())
          .filter(id -> sizes.containsKey(id) && !small.containsKey(id))
          .distinct()
          .toList();
    }

    private List<MemoryKeys> keys(List<AttemptRow> some) {
      return some.stream()
          .map(attempt -> jobs.get(attempt.job()))
          .distinct()
          .flatMap(job -> PlacementMessage.hostKeys(job, request(job)).stream())
          .toList();
    }
  }

  /** These jobs in their order, cut so that the requests of each list can be held at once. */
  public static Uni<List<List<String>>> slices(StatelessSession session, List<String> jobs) {
    String sql =
        "select j.id, coalesce(octet_length(r.spec), 0) + coalesce(octet_length(r.resolved), 0) from"
            + " job j join request r on r.id = j.first_request where j.id = any(cast(:keys as"
            + " text[]))";
    return Queries.slices(session, sql, jobs);
  }

  /** What is known of the open attempts of these jobs, without large results. */
  public static Uni<Known> known(StatelessSession session, Collection<String> jobs) {
    return AttemptTable.ofJobs(session, jobs)
        .chain(
            attempts ->
                new JobTable(session)
                    .read(jobs)
                    .chain(
                        rows ->
                            requests(session, rows)
                                .chain(
                                    requests ->
                                        ends(session, requests.values())
                                            .chain(
                                                ends ->
                                                    sizes(
                                                        session,
                                                        attempts,
                                                        byId(rows),
                                                        requests,
                                                        ends)))));
  }

  /** How those ended that had to do more than to succeed. */
  private static Uni<Map<String, RequestState>> ends(
      StatelessSession session, Collection<JobRequest> requests) {
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

  private record Sized(String id, long bytes, String small) {}

  private static Uni<Known> sizes(
      StatelessSession session,
      List<AttemptRow> attempts,
      Map<String, JobRow> jobs,
      Map<String, JobRequest> requests,
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
              for (Sized row : rows) {
                sizes.put(row.id(), row.bytes());
                if (row.small() != null) {
                  small.put(row.id(), Json.raw(row.small()));
                }
              }
              return new Known(attempts, jobs, requests, ends, small, sizes);
            });
  }

  /** The messages that give these attempts to their hosts. */
  public static Uni<List<Placed>> placed(
      StatelessSession session, Known known, List<AttemptRow> some, Estimates estimates) {
    List<MemoryKeys> keys = known.keys(some);
    return results(session, known, some)
        .chain(
            results ->
                (keys.isEmpty()
                        ? Uni.createFrom().item(Map.<MemoryKeys, Estimate>of())
                        : estimates.apply(keys))
                    .map(expected -> join(known, some, results, expected)));
  }

  private static Map<String, JobRow> byId(List<JobRow> jobs) {
    return jobs.stream().collect(Collectors.toMap(JobRow::id, job -> job));
  }

  private static final String SIZES =
      "select r.id, octet_length(j.result), case when octet_length(j.result) <= %d then j.result end"
              .formatted(Limits.RESULT_WITH_ROW)
          + " from request r join job j on j.id = r.job where r.id = any(cast(:keys as text[])) and"
          + " j.result is not null";
  private static final String RESULTS =
      "select r.id, j.result from request r join job j on j.id = r.job where r.id = any(cast(:keys"
          + " as text[])) and j.result is not null";
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
    return new RequestTable(session)
        .read(jobs.stream().map(JobRow::firstRequest).toList())
        .map(
            rows ->
                rows.stream()
                    .collect(Collectors.toMap(row -> row.id(), row -> StoredRequest.parse(row))));
  }

  private static Uni<Map<String, JsonNode>> results(
      StatelessSession session, Known known, List<AttemptRow> some) {
    return Queries.listOf(
            session,
            RESULTS,
            known.large(some),
            row -> Map.entry(row.text(), Json.raw(row.jsonText())))
        .map(
            rows -> {
              Map<String, JsonNode> results = new HashMap<>(known.small());
              rows.forEach(row -> results.put(row.getKey(), row.getValue()));
              return results;
            });
  }

  private static List<Placed> join(
      Known known,
      List<AttemptRow> some,
      Map<String, JsonNode> results,
      Map<MemoryKeys, Estimate> expected) {
    return some.stream()
        .map(
            attempt -> {
              JobRow job = known.jobs().get(attempt.job());
              JobRequest request = known.request(job);
              Estimate ofHost =
                  PlacementMessage.hostKeys(job, request).map(expected::get).orElse(null);
              return new Placed(
                  attempt,
                  PlacementMessage.of(attempt, job, request, results, known.ends(), ofHost));
            })
        .toList();
  }
}
