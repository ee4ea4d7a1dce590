package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.CycleCheck;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.e2e.simulation.SimLog.Entry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Takes requests in, as RequestsChannel and IntakeTransaction. */
final class RequestReading {
  private final World world;
  private final SimDatabase database;
  private final Life life;
  private final StatusPublisher statuses;
  private final Intake intake;
  private final Consumer<Ledger> follow;

  RequestReading(
      World world,
      SimDatabase database,
      Life life,
      StatusPublisher statuses,
      Intake intake,
      Consumer<Ledger> follow) {
    this.world = world;
    this.database = database;
    this.life = life;
    this.statuses = statuses;
    this.intake = intake;
    this.follow = follow;
  }

  private record Accepted(Ledger ledger, List<Refusal> refusals) {}

  Uni<Void> read(List<Entry> batch) {
    List<JobRequest> requests = batch.stream().map(one -> (JobRequest) one.value()).toList();
    return database
        .transaction(life, tx -> accept(tx, requests))
        .chain(
            accepted -> {
              follow.accept(accepted.ledger());
              return statuses
                  .publishNamed(accepted.ledger())
                  .chain(() -> refuse(accepted.refusals()));
            });
  }

  private Accepted accept(SimTransaction tx, List<JobRequest> batch) {
    Set<String> ids = new LinkedHashSet<>();
    Set<String> waitedFor = new LinkedHashSet<>();
    for (JobRequest request : batch) {
      ids.add(request.id());
      ids.addAll(request.dependsOn());
      waitedFor.addAll(request.dependsOn());
    }
    CycleCheck edges = new CycleCheck();
    if (!waitedFor.isEmpty()) {
      tx.lockCycles();
      for (DependencyRow row : tx.reachableFrom(waitedFor)) {
        edges.add(row.dependent(), List.of(row.dependsOn()));
      }
    }
    Ledger ledger = new Ledger(tx.now());
    List<Meaning> meanings =
        batch.stream()
            .filter(request -> request.dependsOn().isEmpty())
            .map(request -> Meaning.of(request, List.of()))
            .flatMap(Optional::stream)
            .toList();
    Loads.equals(tx, ledger, meanings);
    ledger.requests().loadAll(tx.lockRequests(ids));
    List<Refusal> refusals = intake.accept(ledger, batch, edges);
    tx.write(ledger);
    return new Accepted(ledger, refusals);
  }

  private Uni<Void> refuse(List<Refusal> refusals) {
    List<RequestStatus> rejected = new ArrayList<>();
    for (Refusal refusal : refusals) {
      if (refusal instanceof Refusal.Cycle cycle) {
        String reason = "would close the cycle " + cycle.path();
        String id = cycle.request().id();
        rejected.add(StatusView.rejected(id, Code.DEPENDENCY_CYCLE, reason, world.databaseNow()));
      }
    }
    return rejected.isEmpty() ? Uni.createFrom().voidItem() : statuses.publishRejected(rejected);
  }
}
