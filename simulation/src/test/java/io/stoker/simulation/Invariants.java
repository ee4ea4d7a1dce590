package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.simulation.Machine.Run;
import io.stoker.simulation.SimLog.Entry;
import io.stoker.simulation.SimLog.Partition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What must hold after every step, whatever goes wrong: the invariants of the design. Checked where
 * something can break them: at each commit, at each process that begins, at each status published.
 */
final class Invariants implements Machine.Watcher {
  private final World world;
  private final Tables tables;
  private final List<Machine> machines;
  private final ProcessRules processes;
  private final PlacementRules placements;
  private final RequestRules requests;
  private final JobRules jobs;
  private final HeldRules held;
  private final PlanRules plans;
  private final Map<String, Long> grants = new HashMap<>();

  Invariants(World world, SimDatabase database, List<Machine> machines) {
    this.world = world;
    this.tables = database.tables();
    this.machines = machines;
    processes = new ProcessRules(tables, machines);
    placements = new PlacementRules(tables);
    requests = new RequestRules(world, tables);
    jobs = new JobRules(world, tables, machines, requests);
    held = new HeldRules(world, tables, processes);
    plans = new PlanRules(tables);
    database.watch(this::committed);
  }

  PlacementRules placements() {
    return placements;
  }

  /** The tables are as they were before. */
  void restored() {
    // An agent whose hello was granted says it again, if it was never welcomed.
    grants.clear();
    processes.restored();
    placements.restored();
    requests.restored();
    jobs.restored();
    plans.restored();
  }

  @Override
  public void begins(Machine machine, Run run) {
    world.check(() -> processes.check(machine, run));
  }

  @Override
  public void takesRoom(Machine machine) {
    world.check(() -> processes.roomOn(machine));
  }

  private void committed(SimTransaction transaction) {
    try {
      for (UnitOfWork unit : transaction.ledgers()) {
        jobs.check(unit);
        placements.check(transaction, unit);
        plans.check(transaction, unit);
      }
      plans.check();
      grantsAreForOneHelloEach();
    } catch (SimulationFailure failure) {
      world.broken(failure);
    }
  }

  /** What an agent has said once is worth one epoch, however often it is in the log. */
  private void grantsAreForOneHelloEach() {
    for (HostRow row : tables.hosts.values()) {
      Long before = grants.putIfAbsent(row.grant().nonce(), row.epoch());
      hold(
          before == null || before == row.epoch() || !row.holder().challenged(),
          "hello %s of %s is granted a second epoch: %s, after %s",
          row.grant().nonce(),
          row.id(),
          row.epoch(),
          before);
    }
  }

  /** Each second, where agents hear what they are told. */
  void held(Set<String> reachable) {
    try {
      held.look(reachable);
    } catch (SimulationFailure failure) {
      world.broken(failure);
    }
  }

  /** Once it has been calm for a while. */
  void needs() {
    try {
      jobs.checkNeeds();
    } catch (SimulationFailure failure) {
      world.broken(failure);
    }
  }

  /** A status is on the topic. */
  void published(Entry entry) {
    requests.published(entry);
    held.published((RequestStatus) entry.value());
  }

  /** When all is at rest: nothing was lost, and the topic tells the truth. */
  void atRest(Map<String, JobRequest> posted, List<Partition> status) {
    requests.atRest(posted, status);
    plans.atRest();
  }

  /** What is not at rest yet, if anything. */
  Optional<String> unrest() {
    for (RequestRow row : tables.requests.values()) {
      if (!row.isPlaceholder() && !tables.state(row).terminal()) {
        return Optional.of("request " + row.id() + " is " + tables.state(row));
      }
    }
    if (!tables.attempts.isEmpty()) {
      return Optional.of("open attempts: " + tables.attempts.values());
    }
    if (!tables.ready.isEmpty()) {
      return Optional.of("jobs in line: " + tables.ready.keySet());
    }
    if (!tables.backoffs.isEmpty()) {
      return Optional.of("jobs wait for their next attempt: " + tables.backoffs.keySet());
    }
    if (!tables.due.isEmpty()) {
      return Optional.of("statuses are owed: " + tables.due.keySet());
    }
    if (!tables.fanOuts.isEmpty()) {
      return Optional.of("fan-outs are left: " + tables.fanOuts.keySet());
    }
    Optional<String> plan = plans.unrest();
    if (plan.isPresent()) {
      return plan;
    }
    for (Machine machine : machines) {
      Optional<Run> runs = machine.running().findFirst();
      if (runs.isPresent()) {
        return Optional.of("a process runs on " + machine.name + ": " + Machine.key(runs.get()));
      }
    }
    return Optional.empty();
  }
}
