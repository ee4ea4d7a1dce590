package io.stoker.dispatcher.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.JobRequest;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.placement.PlacementMessage;
import io.stoker.dispatcher.placement.Running;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The port to the content of placements: the attempt, its job, what to run, results of
 * dependencies.
 */
public interface Placements {
  /** An open attempt and the message that gives it to its host. */
  record Placed(AttemptRow attempt, ToAgent.Place message) {}

  /** What is expected of jobs; of those of which nothing is known there is no entry. */
  interface Estimates extends Function<Collection<MemoryKeys>, Uni<Map<MemoryKeys, Estimate>>> {}

  /**
   * What was read of attempts and their jobs.
   *
   * @param senders who posted the requests, of those of which that is known
   */
  record Known(
      List<AttemptRow> attempts,
      Map<String, JobRow> jobs,
      Map<String, JobRequest> requests,
      Map<String, String> senders,
      Inputs inputs) {
    private JobRequest request(JobRow job) {
      return requests.get(job.asked().firstRequest());
    }

    private JobRequest request(AttemptRow attempt) {
      return request(jobs.get(attempt.job()));
    }

    /** The attempts that are their jobs' newest. */
    public List<AttemptRow> newest() {
      return attempts.stream()
          .filter(attempt -> jobs.get(attempt.job()).latest().number() == attempt.number())
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
      return spec.length() + request.dependsOn().stream().mapToLong(inputs::bytes).sum();
    }

    /** A dependency of an attempt's request whose result is not kept any more, if there is one. */
    public Optional<String> gone(AttemptRow attempt) {
      return request(attempt).dependsOn().stream().filter(inputs.gone()::contains).findFirst();
    }

    private List<String> large(List<AttemptRow> some) {
      return some.stream()
          .flatMap(attempt -> request(attempt).dependsOn().stream())
          .filter(inputs::isLarge)
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

    private Placed placed(
        AttemptRow attempt, Map<String, JsonNode> results, Map<MemoryKeys, Estimate> expected) {
      JobRow job = jobs.get(attempt.job());
      JobRequest request = request(job);
      Estimate ofHost = PlacementMessage.hostKeys(job, request).map(expected::get).orElse(null);
      Optional<String> sentBy = Optional.ofNullable(senders.get(request.id()));
      return new Placed(
          attempt,
          PlacementMessage.of(attempt, job, request, sentBy, results, inputs.ends(), ofHost));
    }
  }

  /**
   * What was read of dependencies.
   *
   * @param ends of those that have a condition
   * @param small results that are read with their sizes
   * @param sizes bytes of the results, of those that have one
   * @param gone those that are not kept any more
   */
  record Inputs(
      Map<String, RequestState> ends,
      Map<String, JsonNode> small,
      Map<String, Long> sizes,
      Set<String> gone) {
    private long bytes(String id) {
      return sizes.getOrDefault(id, 0L);
    }

    private boolean isLarge(String id) {
      return sizes.containsKey(id) && !small.containsKey(id);
    }
  }

  /** Who posted these requests, of those of which that is known. */
  static Map<String, String> senders(Collection<RequestRow> requests) {
    return requests.stream()
        .filter(row -> row.sentBy() != null)
        .collect(Collectors.toMap(RequestRow::id, RequestRow::sentBy));
  }

  /** These jobs in their order, cut so that the requests of each list can be held at once. */
  Uni<List<List<String>>> slices(List<String> jobs);

  /** What is known of the open attempts of these jobs, without large results. */
  Uni<Known> known(Collection<String> jobs);

  /** Results of these requests; asks nothing for none. */
  Uni<Map<String, JsonNode>> results(Collection<String> requests);

  /**
   * The jobs of some attempts.
   *
   * @param open all open attempts: with those that the jobs have on other hosts
   */
  Uni<List<Running>> running(List<AttemptRow> some, List<AttemptRow> open);

  /** The messages that give these attempts to their hosts. */
  default Uni<List<Placed>> placed(Known known, List<AttemptRow> some, Estimates estimates) {
    List<MemoryKeys> keys = known.keys(some);
    return results(known.large(some))
        .chain(
            large -> {
              Map<String, JsonNode> results = new HashMap<>(known.inputs().small());
              results.putAll(large);
              return (keys.isEmpty()
                      ? Uni.createFrom().item(Map.<MemoryKeys, Estimate>of())
                      : estimates.apply(keys))
                  .map(
                      expected ->
                          some.stream()
                              .map(attempt -> known.placed(attempt, results, expected))
                              .toList());
            });
  }
}
