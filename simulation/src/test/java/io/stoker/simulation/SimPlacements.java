package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.Dependency;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
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
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What placements say; few of them, and small results alone, can be held at once. */
record SimPlacements(SimTransaction tx) implements Placements {
  private static final int AT_ONCE = 3;
  private static final int SMALL = 20;

  @Override
  public Uni<List<List<String>>> slices(List<String> jobs) {
    return statement(() -> SimStatements.slices(jobs, AT_ONCE));
  }

  @Override
  public Uni<Known> known(Collection<String> jobs) {
    return statement(
        () -> {
          List<JobRow> rows = tx.readJobs(jobs);
          List<RequestRow> firsts =
              tx.readRequests(rows.stream().map(job -> job.asked().firstRequest()).toList());
          Map<String, JobRequest> requests =
              firsts.stream().collect(Collectors.toMap(RequestRow::id, StoredRequest::parse));
          Map<String, RequestState> ends = new HashMap<>();
          Map<String, Long> sizes = new HashMap<>();
          Map<String, JsonNode> small = new HashMap<>();
          Set<String> gone = new HashSet<>();
          for (Dependency one :
              requests.values().stream().flatMap(all -> all.dependencies().stream()).toList()) {
            RequestRow row = tx.tables().requests.get(one.id());
            if (row == null) {
              gone.add(one.id());
              continue;
            }
            if (one.conditional()) {
              ends.put(one.id(), tx.tables().state(row));
            }
            result(row)
                .ifPresent(
                    text -> {
                      sizes.put(one.id(), (long) text.length());
                      if (text.length() <= SMALL) {
                        small.put(one.id(), json(text));
                      }
                    });
          }
          return new Known(
              tx.attemptsOf(jobs),
              rows.stream().collect(Collectors.toMap(JobRow::id, job -> job)),
              requests,
              Placements.senders(firsts),
              new Inputs(ends, small, sizes, gone));
        });
  }

  @Override
  public Uni<Map<String, JsonNode>> results(Collection<String> requests) {
    return statement(
        () -> {
          Map<String, JsonNode> results = new HashMap<>();
          tx.readRequests(requests)
              .forEach(row -> result(row).ifPresent(text -> results.put(row.id(), json(text))));
          return results;
        });
  }

  private Optional<String> result(RequestRow row) {
    return tx.tables().job(row).map(job -> job.result().text());
  }

  private static JsonNode json(String text) {
    try {
      return Json.read(text);
    } catch (MalformedJson e) {
      throw new SimulationFailure("a stored result is no JSON: " + text, e);
    }
  }

  @Override
  public Uni<List<Running>> running(List<AttemptRow> some, List<AttemptRow> open) {
    return statement(
        () ->
            tx.readJobs(some.stream().map(AttemptRow::job).toList()).stream()
                .map(
                    job ->
                        new Running(
                            job.id(),
                            job.asked().firstRequest(),
                            job.asked().priority(),
                            job.asked().policy().preemptible(),
                            job.setbacks().preemptions(),
                            open.stream().filter(row -> row.job().equals(job.id())).toList()))
                .toList());
  }
}
