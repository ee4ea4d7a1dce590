package io.stoker.dispatcher.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.lease.AgentTeller;
import io.stoker.dispatcher.lease.HostRow;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.StoredRequest;
import io.stoker.dispatcher.memory.MemoryBook;
import io.stoker.dispatcher.placement.PlacementTransaction.Passed;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.HostTable;
import io.stoker.dispatcher.store.PlacementQueries;
import io.stoker.dispatcher.store.PlacementQueries.Placed;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Publishes placements: for new attempts, and again for those not yet accepted. Each is for the
 * epoch that its host had before the attempt was seen to be open: one that was closed meanwhile,
 * since its host was lost, must not reach the host's next epoch.
 */
@ApplicationScoped
public class PlacementsPublisher {
  private final Database database;
  private final AgentTeller agents;
  private final MemoryBook memory;

  PlacementsPublisher(Database database, AgentTeller agents, MemoryBook memory) {
    this.database = database;
    this.agents = agents;
    this.memory = memory;
  }

  private record Current(List<Placed> placed, Map<String, Long> epochs) {}

  /**
   * Publishes what a pass placed, from what it held, unless more is needed: results of
   * dependencies, or what is known of host memory.
   */
  public Uni<Void> publish(Passed passed) {
    List<Placed> placed = new ArrayList<>();
    List<AttemptRow> toReadMoreOf = new ArrayList<>();
    for (AttemptRow attempt : passed.opened()) {
      JobRow job = passed.ledger().jobs().get(attempt.job());
      JobRequest request = StoredRequest.parse(passed.ledger().requests().get(job.firstRequest()));
      if (request.dependsOn().isEmpty() && PlacementMessage.hostKeys(job, request).isEmpty()) {
        placed.add(new Placed(attempt, PlacementMessage.of(attempt, job, request, Map.of())));
      } else {
        toReadMoreOf.add(attempt);
      }
    }
    return agents.tell(byHost(placed), passed.epochs()).chain(() -> publish(toReadMoreOf));
  }

  /** Done when the broker has them; attempts that closed meanwhile are left out. */
  public Uni<Void> publish(List<AttemptRow> attempts) {
    if (attempts.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    List<String> jobs = attempts.stream().map(AttemptRow::job).toList();
    return database
        .read(
            session ->
                HostTable.all(session)
                    .map(HostRow::epochs)
                    .chain(
                        epochs ->
                            PlacementQueries.placed(
                                    session, jobs, keys -> memory.estimates(session, keys))
                                .map(placed -> new Current(placed, epochs))))
        .chain(current -> agents.tell(byHost(current.placed()), current.epochs()));
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
