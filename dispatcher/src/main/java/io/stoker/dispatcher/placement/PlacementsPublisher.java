package io.stoker.dispatcher.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.aside.CodedEnd;
import io.stoker.dispatcher.aside.SetAsides;
import io.stoker.dispatcher.lease.AgentTeller;
import io.stoker.dispatcher.lease.HostRow;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.StoredRequest;
import io.stoker.dispatcher.memory.MemoryBook;
import io.stoker.dispatcher.placement.PlacementTransaction.Passed;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.HostTable;
import io.stoker.dispatcher.store.PlacementQueries;
import io.stoker.dispatcher.store.PlacementQueries.Placed;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Publishes placements: for new attempts, and again for those not yet accepted. Each is for the
 * epoch that its host had before the attempt was seen to be open: one that was closed meanwhile,
 * since its host was lost, must not reach the host's next epoch.
 */
@ApplicationScoped
public class PlacementsPublisher {
  private static final String STEP = "publishing its placement";

  private final Database database;
  private final AgentTeller agents;
  private final MemoryBook memory;

  private final Isolation<String> jobs;

  PlacementsPublisher(
      Database database, AgentTeller agents, MemoryBook memory, SetAsides asides, CodedEnd ends) {
    this.database = database;
    this.agents = agents;
    this.memory = memory;
    jobs =
        asides.isolation(
            STEP, job -> job, this::publishJobs, (job, reason) -> ends.job(job, STEP, reason));
  }

  private record Current(List<Placed> placed, Map<String, Long> epochs) {}

  /**
   * Publishes what a pass placed, from what it held, unless more is needed: results of
   * dependencies, or what is known of host memory. What fails is published again by itself.
   */
  public Uni<Void> publish(Passed passed) {
    List<Placed> placed = new ArrayList<>();
    List<AttemptRow> others = new ArrayList<>();
    for (AttemptRow attempt : passed.opened()) {
      held(passed, attempt).ifPresentOrElse(placed::add, () -> others.add(attempt));
    }
    List<AttemptRow> held = placed.stream().map(Placed::attempt).toList();
    return agents
        .tell(byHost(placed), passed.epochs())
        .invoke(() -> jobs.succeeded(held.stream().map(AttemptRow::job).toList()))
        .onFailure(error -> Fault.of(error) == Fault.DATA)
        .recoverWithUni(() -> publish(held))
        .chain(() -> publish(others));
  }

  private static Optional<Placed> held(Passed passed, AttemptRow attempt) {
    JobRow job = passed.ledger().jobs().get(attempt.job());
    try {
      JobRequest request = StoredRequest.parse(passed.ledger().requests().get(job.firstRequest()));
      return request.dependsOn().isEmpty() && PlacementMessage.hostKeys(job, request).isEmpty()
          ? Optional.of(new Placed(attempt, PlacementMessage.of(attempt, job, request, Map.of())))
          : Optional.empty();
    } catch (IllegalStateException unreadable) {
      return Optional.empty();
    }
  }

  /** Done when the broker has them; attempts that closed meanwhile are left out. */
  public Uni<Void> publish(List<AttemptRow> attempts) {
    return jobs.apply(attempts.stream().map(AttemptRow::job).distinct().toList());
  }

  private Uni<Void> publishJobs(List<String> some) {
    return database
        .read(
            session ->
                HostTable.all(session)
                    .chain(
                        rows ->
                            PlacementQueries.placed(
                                    session, some, keys -> memory.estimates(session, keys))
                                .map(placed -> current(placed, rows))))
        .chain(current -> agents.tell(byHost(current.placed()), current.epochs()));
  }

  /** Without what an earlier agent may have accepted: the one that is there must not run it. */
  private static Current current(List<Placed> placed, List<HostRow> rows) {
    List<Placed> given =
        placed.stream()
            .filter(one -> rows.stream().noneMatch(row -> row.left(one.attempt())))
            .toList();
    return new Current(given, HostRow.epochs(rows));
  }

  private static Map<String, List<ToAgent>> byHost(List<Placed> placed) {
    return placed.stream()
        .filter(one -> !one.attempt().accepted())
        .collect(
            Collectors.groupingBy(
                one -> one.attempt().host(),
                LinkedHashMap::new,
                Collectors.mapping(Placed::message, Collectors.toList())));
  }
}
