package io.stoker.simulation;

import io.stoker.dispatcher.model.Ids;
import io.stoker.simulation.SimLog.Partition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * One run of one seed: dispatchers, hosts and a workload, a rough time with faults, a calm one in
 * which everything must come to its end.
 */
final class Simulation {
  /** Within this after the last fault all agents are in an epoch again, ms. */
  private static final long SETTLING = 25_000;

  /** The story tells what happens; the same in the log, of all seeds, would drown it. */
  private static final Logger QUIET = Logger.getLogger("io.stoker.dispatcher");

  static {
    QUIET.setLevel(Level.OFF);
  }

  /** Nothing that was asked for takes this long once nothing goes wrong any more, in ms. */
  private static final long PATIENCE = 400_000;

  /** From one look whether all is at rest to the next, in ms. */
  private static final long LOOK_EACH = 100;

  private final World world;
  private final SimDatabase database;
  private final SimLog log;
  private final SimReplicaPubSub pubSub;
  private final Ids ids;
  private final Life fate = new Life(Life.Kind.MACHINE, "fate");
  private final List<SimDispatcher> dispatchers = new ArrayList<>();
  private final Map<Machine, SimAgent> agents = new LinkedHashMap<>();
  private final Map<Machine, Long> cutOff = new LinkedHashMap<>();
  private final List<ConsumerGroup> groups = new ArrayList<>();
  private final Strangers strangers;
  private final Invariants invariants;
  private final Workload workload;
  private final PoolWorkload poolWorkload;
  private final StagedWorkload stagedWorkload;
  private final PlanWorkload planWorkload;
  private boolean losesDatabase;
  private int starts;
  private int steps;

  Simulation(long seed, Faults faults, Set<Defect> defects, Story story) {
    Chance first = new Chance(seed);
    world = new World(seed, faults, defects, first.between(10_000, 70_000), story);
    database = new SimDatabase(world);
    log = new SimLog(world);
    pubSub = new SimReplicaPubSub(world);
    ids = new NumberedIds();
    log.create("requests", 3);
    log.create("control", 1);
    log.create("events", 3);
    log.create("heartbeats", 1);
    log.create(SimStatusTopic.ALL, 2);
    log.create(SimStatusTopic.OF_QUEUE, 2);
    groups.add(new ConsumerGroup(world, log.partitions("requests")));
    groups.add(new ConsumerGroup(world, log.partitions("events")));
    groups.add(new ConsumerGroup(world, log.partitions("control")));
    List<Machine> machines = new ArrayList<>();
    invariants = new Invariants(world, database, machines);
    machines.addAll(machines());
    workload = new Workload(world, log, machines);
    poolWorkload = new PoolWorkload(world, workload, List.copyOf(machines));
    stagedWorkload = new StagedWorkload(world, workload, List.copyOf(machines));
    planWorkload = new PlanWorkload(world, workload);
    strangers = new Strangers(world, log, invariants, twin -> join(machines, twin), this::leave);
    for (Partition partition : log.partitions(SimStatusTopic.ALL)) {
      log.follow(
          partition, fate, appended -> invariants.published(appended.at(appended.end() - 1)));
    }
    world.stands(
        host ->
            host.map(one -> Stand.on(one, database.tables(), machines))
                .orElseGet(() -> Stand.all(database.tables(), machines)));
    machines.forEach(machine -> cutOff.put(machine, 0L));
    for (int i = world.chance.between(2, 3); i > 0; i--) {
      startDispatcher();
    }
    machines.forEach(this::startAgent);
    workload.plan();
    poolWorkload.plan();
    stagedWorkload.plan();
    planWorkload.plan();
    planLoss();
    world.timeline.after(world.calmFrom + JobRules.NEEDS_SETTLED, fate, invariants::needs);
    world.timeline.after(1_000, fate, this::everySecond);
  }

  private List<Machine> machines() {
    List<Machine> machines = new ArrayList<>();
    boolean gpus = world.chance.is(0.5);
    int count = world.chance.between(1, 4);
    for (int i = 0; i < count; i++) {
      int slots = world.chance.between(2, 4);
      int devices = gpus ? world.chance.between(i == 0 ? 1 : 0, 2) : 0;
      log.create("placements.h" + i, 1);
      machines.add(new Machine(world, "h" + i, "h" + i, devices, slots, invariants));
    }
    return machines;
  }

  /** Ids without chance of their own, rising with time. */
  private static final class NumberedIds implements Ids {
    private long last;

    @Override
    public String job(long now) {
      return "j%05d".formatted(++last);
    }

    @Override
    public String token() {
      return Base64.getEncoder()
          .encodeToString(ByteBuffer.allocate(16).putLong(++last).putLong(last).array());
    }
  }

  /**
   * Runs to the end.
   *
   * @throws SimulationFailure naming what does not hold
   */
  Result run() {
    long quietSince = -1;
    long looksAt = 0;
    boolean atRest = false;
    while (!atRest) {
      if (!world.timeline.step()) {
        throw new SimulationFailure("nothing happens any more");
      }
      steps++;
      world.check();
      if (world.rough() || world.now() < looksAt) {
        continue;
      }
      looksAt = world.now() + LOOK_EACH;
      Optional<String> unrest = unrest();
      quietSince = unrest.isPresent() ? -1 : quietSince < 0 ? world.now() : quietSince;
      atRest = quietSince >= 0 && world.now() - quietSince >= 12_000;
      if (world.now() > world.calmFrom + PATIENCE) {
        throw new SimulationFailure("does not come to rest: " + unrest.orElse("restless"));
      }
    }
    for (String topic : List.of(SimStatusTopic.ALL, SimStatusTopic.OF_QUEUE)) {
      invariants.atRest(workload.posted(), log.partitions(topic));
    }
    agents.values().forEach(SimAgent::checkPools);
    return new Result(
        steps,
        world.now(),
        world.fingerprint(),
        Sights.of(world, database.tables(), invariants.placements(), pubSub),
        world.coverage.over(steps));
  }

  /** What a run was. */
  record Result(int steps, long virtualMs, long fingerprint, Sights sights, Coverage coverage) {}

  private Optional<String> unrest() {
    if (world.now() < world.calmFrom + 8_000) {
      return Optional.of("too early");
    }
    if (world.now() < workload.lastPost() + 8_000) {
      return Optional.of("something was posted just now");
    }
    Optional<String> unrest = invariants.unrest();
    if (unrest.isPresent()) {
      return unrest;
    }
    if (!groups.stream().allMatch(ConsumerGroup::drained)) {
      return Optional.of("records wait to be read");
    }
    boolean stopped = dispatchers.stream().anyMatch(one -> one.life().pausedUntil() > world.now());
    if (stopped) {
      return Optional.of("a dispatcher is stopped");
    }
    String busy =
        agents.entrySet().stream()
            .filter(agent -> agent.getValue().life().over() || !agent.getValue().idle())
            .map(agent -> agent.getKey().name)
            .collect(Collectors.joining(", "));
    return busy.isEmpty() ? Optional.empty() : Optional.of("agents hold something: " + busy);
  }

  // --- births and deaths

  private void startDispatcher() {
    Life life = new Life(Life.Kind.DISPATCHER, "d" + ++starts);
    world.note(life.name(), "starts");
    life.atEnd(
        () -> {
          database.abortTransactionsOf(life);
          world.timeline.after(world.chance.between(500, 8_000), fate, this::startDispatcher);
          world.timeline.after(world.chance.between(500, 3_000), fate, this::rebalance);
        });
    SimDispatcher dispatcher = new SimDispatcher(world, life, database, log, pubSub, ids);
    dispatchers.removeIf(before -> before.life().over());
    dispatchers.add(dispatcher);
    groups.get(0).join(life, dispatcher.requests()::read);
    groups.get(1).join(life, dispatcher.events()::read);
    groups.get(2).join(life, dispatcher::control);
  }

  /** In some runs the database is lost, and put back as it was a while ago. */
  private void planLoss() {
    Chance chance = world.lossChance;
    if (!chance.is(world.faults.of(Fault.DATABASE_LOST))) {
      return;
    }
    losesDatabase = true;
    int backup = chance.between(1_000, (int) world.calmFrom * 2 / 3);
    int loss = chance.between(backup + 500, (int) world.calmFrom + 5_000);
    Restoring restoring = new Restoring(world, database.tables(), log, groups, invariants);
    world.timeline.after(backup, fate, restoring::backUp);
    world.timeline.after(
        loss,
        fate,
        () -> {
          world.coverage.strike(
              Fault.DATABASE_LOST, Stand.all(database.tables(), List.copyOf(agents.keySet())));
          stopDispatchers();
          // What they have sent is there by then. One that had died before may have started again.
          world.timeline.after(
              50,
              fate,
              () -> {
                stopDispatchers();
                restoring.restore();
              });
        });
  }

  private void stopDispatchers() {
    List.copyOf(dispatchers).forEach(one -> one.life().end());
  }

  /** Whether somebody schedules who is neither dead nor stopped. */
  private boolean isWatched() {
    return dispatchers.stream()
        .filter(SimDispatcher::schedules)
        .map(SimDispatcher::life)
        .anyMatch(life -> !life.over() && life.pausedUntil() <= world.now());
  }

  private void rebalance() {
    groups.forEach(ConsumerGroup::rebalance);
  }

  private void startAgent(Machine machine) {
    SimAgent before = agents.get(machine);
    if (before != null && !before.life().over()) {
      return;
    }
    Life life = new Life(Life.Kind.AGENT, machine.name + "a" + ++starts, Optional.of(machine.host));
    world.note(life.name(), "starts");
    life.atEnd(
        () -> {
          long gone = world.chance.is(0.3) ? world.chance.between(8_000, 40_000) : 500;
          world.timeline.after(gone, machine.life(), () -> startAgent(machine));
        });
    life.atCrash(
        () -> {
          if (world.fault(Fault.POWER_CUT, world.diskChance, life.host())) {
            world.note(machine.name, "loses power at once");
            machine.reboot(false);
          }
        });
    agents.put(machine, new SimAgent(world, log, machine, life, () -> cutOff.get(machine)));
  }

  private void join(List<Machine> machines, Machine twin) {
    machines.add(twin);
    cutOff.put(twin, 0L);
    startAgent(twin);
  }

  private void leave(Machine twin) {
    twin.off();
    agents.remove(twin).life().end();
  }

  private void reboot(Machine machine) {
    boolean diskLost = world.chance.is(0.2);
    world.note(machine.name, diskLost ? "loses power and disk" : "loses power");
    Life agent = agents.get(machine).life();
    machine.reboot(diskLost);
    agent.end();
    // Whatever was to start an agent went with the power.
    long gone = world.chance.between(1_000, 30_000);
    Life boot = machine.life();
    world.timeline.after(gone, boot, () -> startAgent(machine));
  }

  /** Hosts whose agents hear what they are told, while somebody tells them. */
  private Set<String> reachable() {
    boolean settled = world.now() > world.calmFrom + SETTLING;
    return !settled || !isWatched()
        ? Set.of()
        : agents.entrySet().stream()
            .filter(agent -> !agent.getValue().life().over())
            .filter(agent -> agent.getValue().life().pausedUntil() <= world.now())
            .filter(agent -> agent.getKey().hasFitted(SETTLING))
            .map(agent -> agent.getKey().host)
            .collect(Collectors.toSet());
  }

  private void everySecond() {
    invariants.held(reachable());
    if (world.rough()) {
      for (SimDispatcher dispatcher : List.copyOf(dispatchers)) {
        if (world.fault(Fault.PAUSE_DISPATCHER)) {
          pauseDispatcher(dispatcher);
        }
      }
      for (Machine machine : List.copyOf(agents.keySet())) {
        Life agent = agents.get(machine).life();
        if (world.fault(Fault.PAUSE_AGENT, machine.host)) {
          long until =
              world.now() + world.chance.of(List.of(500, 3_000, 9_000, 12_000, 14_000, 25_000));
          world.note(agent.name(), "is stopped until " + until);
          agent.pause(until);
        }
        if (world.fault(Fault.CUT_OFF, machine.host)) {
          long until = world.now() + world.chance.of(List.of(2_000, 9_000, 12_000, 20_000));
          world.note(machine.name, "is cut off until " + until);
          cutOff.merge(machine, until, Math::max);
        }
        if (world.fault(Fault.REBOOT, machine.host)) {
          reboot(machine);
        }
        if (world.fault(Fault.BROKEN, machine.host)) {
          long until = world.now() + world.chance.of(List.of(4_000, 12_000));
          world.note(machine.name, "starts nothing until " + until);
          machine.breakUntil(until);
        }
        if (world.fault(Fault.DISK_FULL, machine.host)) {
          long until = world.now() + world.chance.of(List.of(1_000, 6_000, 20_000));
          world.note(machine.name, "has a full disk until " + until);
          machine.fillUntil(until);
        }
        if (world.fault(Fault.HELPLESS, machine.host)) {
          long until = world.now() + world.chance.of(List.of(500, 3_000, 12_000));
          world.note(machine.name, "has no spawner until " + until);
          machine.helplessUntil(until);
        }
        if (world.fault(Fault.MISFIT, world.keyChance, Optional.of(machine.host))) {
          long until = world.now() + world.keyChance.of(List.of(3_000, 12_000, 30_000));
          world.note(machine.name, "has a key that does not fit until " + until);
          machine.misfitUntil(until);
        }
        if (!machine.pools.isEmpty()
            && world.fault(Fault.POOL_TOLD, world.poolChance, Optional.of(machine.host))) {
          poolWorkload.tell(machine);
        }
        if (world.fault(Fault.CORDONED, machine.host)) {
          workload.keepOff(machine.host);
        }
        if (world.fault(Fault.JOURNAL_LOST, machine.host)) {
          world.note(machine.name, "loses its journal");
          machine.disk().replace();
          agents.get(machine).life().end();
        }
        if (world.fault(Fault.TWIN, machine.host) && machine.name.equals(machine.host)) {
          strangers.startTwin(machine);
        }
      }
      if (world.fault(Fault.REPLAYED)) {
        strangers.replay();
      }
      if (world.fault(Fault.FORGED, world.agentChance, Optional.empty())) {
        strangers.forge();
      }
      if (world.fault(Fault.OUTAGE)) {
        long until = world.now() + world.chance.of(List.of(1_000, 6_000, 15_000));
        world.note("broker", "is away until " + until);
        log.away(until);
      }
      if (world.fault(Fault.POISONED)) {
        Poison.one(world, database.tables());
      }
      if (world.fault(Fault.CLOCK_SET, world.clockChance, Optional.empty())) {
        int by = world.clockChance.of(List.of(-3_600_000, -20_000, -500, 500, 20_000, 3_600_000));
        // A restore does not know how the clock was corrected after the backup, and nobody what it
        // was while no scheduler watched.
        if (!losesDatabase && isWatched()) {
          world.setDatabaseClock(by);
        }
      }
      if (world.chance.is(0.02)) {
        rebalance();
      }
    }
    world.timeline.after(1_000, fate, this::everySecond);
  }

  private void pauseDispatcher(SimDispatcher dispatcher) {
    long until = world.now() + world.chance.of(List.of(300, 2_000, 6_000, 16_000, 30_000));
    world.note(dispatcher.life().name(), "is stopped until " + until);
    dispatcher.life().pause(until);
    if (until - world.now() > Settings.NOT_MISSED) {
      database.abortTransactionsOf(dispatcher.life());
      world.timeline.after(3_000, fate, this::rebalance);
    }
  }
}
