package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.Claim;
import io.stoker.dispatcher.placement.Emptied;
import io.stoker.dispatcher.placement.Hold;
import io.stoker.dispatcher.placement.HoldRules;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Preempting;
import io.stoker.dispatcher.placement.Preemption;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.placement.Running;
import io.stoker.dispatcher.placement.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Jobs that make room for others, as the dispatcher's bean of that name. */
final class Preemptions {
  private final SimDatabase database;
  private final Wire wire;
  private final HostDirectory hosts;

  Preemptions(SimDatabase database, Wire wire, HostDirectory hosts) {
    this.database = database;
    this.wire = wire;
    this.hosts = hosts;
  }

  /** What is held for whom, in the pass's transaction. */
  List<Claim> claims(SimTransaction tx) {
    Map<String, Hold> holds = tx.tables().holds;
    HoldRules.Outcome outcome =
        HoldRules.apply(
            List.copyOf(holds.values()), tx.tables().ready.keySet(), tx.allAttempts(), tx.now());
    tx.write(
        () -> {
          outcome.changed().forEach(hold -> holds.replace(hold.job(), hold));
          outcome.released().forEach(holds::remove);
        });
    return HoldRules.claims(outcome.held(), tx.allAttempts());
  }

  /** Who is to make room after the pass. */
  Optional<Plan> look(SimTransaction tx, Snapshot snapshot, Decision decision) {
    List<AttemptRow> all = Preemption.withPlaced(tx.allAttempts(), snapshot, decision);
    Emptied emptied = new Emptied(tx.allHosts(), all, hosts::alive, hosts::lastHeartbeat);
    return Preemption.decide(snapshot, decision, all, running(tx), emptied, Settings.MIN_RUN);
  }

  private static List<Running> running(SimTransaction tx) {
    List<Running> running = new ArrayList<>();
    tx.allAttempts().stream()
        .filter(row -> Running.mayBeLookedAt(row, Settings.MIN_RUN, tx.now()))
        .collect(Collectors.groupingBy(AttemptRow::job))
        .forEach(
            (id, some) -> {
              JobRow job = tx.tables().jobs.get(id);
              running.add(
                  new Running(
                      id,
                      job.firstRequest(),
                      job.priority(),
                      job.policy().preemptible(),
                      job.preemptions(),
                      tx.attemptsOf(List.of(id))));
            });
    return running;
  }

  /** Tells those to end who are to; nothing if that was not done. */
  Uni<Optional<Ledger>> carryOut(OptionalLong epoch, Optional<Plan> plan) {
    if (plan.isEmpty() || epoch.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    return database.transaction(
        wire.life(),
        tx ->
            tx.lockFleet(epoch.getAsLong()) ? carryOut(tx, plan.get()) : Optional.<Ledger>empty());
  }

  private static Optional<Ledger> carryOut(SimTransaction tx, Plan plan) {
    List<String> jobs = new ArrayList<>(plan.victims().stream().map(Running::job).toList());
    jobs.add(plan.hold().job());
    Ledger ledger = Loads.jobs(tx, jobs, false);
    if (!Preempting.apply(ledger, plan)) {
      return Optional.empty();
    }
    tx.write(ledger);
    tx.write(() -> tx.tables().holds.putIfAbsent(plan.hold().job(), plan.hold()));
    return Optional.of(ledger);
  }
}
