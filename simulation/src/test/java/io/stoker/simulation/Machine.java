package io.stoker.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.DeviceLedger;
import io.stoker.agent.staged.Said;
import io.stoker.common.json.Json;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.state.FailureCategory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A host: its disk, its boot clock, the processes that run on it, and the watchdog that ends them.
 * All of this goes on without an agent. A loss of power ends the processes, and takes from the disk
 * what nobody forced onto it.
 */
final class Machine {
  /** What became of a run, as its folder tells. */
  enum Stage {
    ASKED,
    REVOKED,
    ALIVE,
    ENDED
  }

  /** A run's folder, and its process. */
  static final class Run {
    final Place place;
    final Allocation allocation;
    Stage stage = Stage.ASKED;
    Optional<RunProcess> process = Optional.empty();
    RunEnd end = RunEnd.unseen();
    boolean told;
    long gpuMemory;
    long memory;

    /** Which of the processes of its attempt it is. */
    final int starts;

    /** What it does stage by stage, if it is staged. */
    Optional<StagedProcess> staged = Optional.empty();

    /** With what the processes before it have said. */
    StagedOutput output;

    /** Until then something of it is left on its devices. */
    long cleanAt;

    Run(Place place, Allocation allocation, int starts) {
      this.place = place;
      this.allocation = allocation;
      this.starts = starts;
    }

    boolean isStaged() {
      return place.workload() instanceof Workload.Staged;
    }

    /** Those that it may use now, by their ids: a staged one sees all. */
    List<String> devices() {
      return isStaged()
          ? staged.map(StagedProcess::devices).orElse(List.of())
          : allocation.devices();
    }

    /** Bytes that it has on a device. */
    long usedOn(String device) {
      return staged.isPresent()
          ? staged.get().usedOn(device)
          : allocation.devices().contains(device) ? gpuMemory : 0;
    }

    /** A job that a worker of a pool runs, which holds nothing itself. */
    static Run byWorker(Place place) {
      Run run =
          new Run(
              place,
              new Allocation(
                  AttemptKey.of(place).toString(), List.of(), false, OptionalLong.empty(), 0),
              1);
      run.stage = Stage.ALIVE;
      return run;
    }
  }

  /**
   * What a process holds of its machine.
   *
   * @param devices by their ids
   * @param shared bytes that it was promised on each of them; empty if it has them alone
   * @param cpuSlots that it holds
   */
  record Holding(List<String> devices, OptionalLong shared, int cpuSlots) {}

  /** Hears of what begins, so that invariants can be checked. */
  interface Watcher {
    /** A process of a job begins, or a worker begins a job. */
    void begins(Machine machine, Run run);

    /** A worker's process begins. */
    void takesRoom(Machine machine);
  }

  /** Longest time from a process' end until nothing of it is left on its devices, in ms. */
  private static final int LEFT_ON_DEVICES = 300;

  /** Probability that the spawner takes seconds. */
  private static final double SLOW_SPAWN = 0.2;

  final String name;

  /** By what its agent calls it: what another machine's may call that, too. */
  final String host;

  /** Jobs that its agent holds behind its CPU slots at most; 0 for one of an earlier version. */
  final int lookAhead;

  /** Else its agent is of an earlier version. */
  final boolean takesParts;

  /** Likewise: it may sign records as a whole. */
  final boolean seals;

  final int gpus;
  final int slots;
  final Map<AttemptKey, Run> runs = new LinkedHashMap<>();

  /** Its pools of warm workers. */
  final List<SimPool> pools;

  private final SimWorkers workers = new SimWorkers();

  /** Processes whose folders are gone, or another run's. */
  private final List<Run> strays = new ArrayList<>();

  /** Ended ones of which something may be left on devices. */
  private final List<Run> leftOver = new ArrayList<>();

  /** How the processes of each job ended by themselves. */
  private final Map<String, List<RunEnd>> ends = new HashMap<>();

  private final World world;
  private final Watcher watcher;
  private final MachineMemory memory = new MachineMemory(this::alive);
  private Life life;
  private final Disk disk;
  private long bootedAt;
  private int boots;
  private Watchdog watchdog;
  private Consumer<AttemptKey> listener = key -> {};
  private BiConsumer<Run, Said> hearer = (run, said) -> {};
  private Runnable meter = () -> {};
  private long brokenUntil;
  private long fullUntil;
  private long helplessUntil;
  private long misfitUntil;

  Machine(World world, String name, String host, int gpus, int slots, Watcher watcher) {
    this.world = world;
    this.name = name;
    this.host = host;
    this.gpus = gpus;
    this.slots = slots;
    this.watcher = watcher;
    this.disk = new Disk(world, name);
    this.lookAhead =
        world.looksAhead && world.aheadChance.is(0.8) ? world.aheadChance.between(1, 6) : 0;
    this.takesParts = world.chance.is(0.8);
    this.seals = world.agentChance.is(0.8);
    this.pools = SimPool.drawn(world, gpus);
    boot();
  }

  private void boot() {
    boots++;
    life = new Life(Life.Kind.MACHINE, name);
    bootedAt = world.now() - world.chance.between(0, 100_000);
    watchdog = new Watchdog(world, this);
  }

  /** Of this boot; ends with the power. */
  Life life() {
    return life;
  }

  long bootMs() {
    return world.now() - bootedAt;
  }

  String bootId() {
    return name + "-boot-" + boots;
  }

  /** The folder that its agent keeps its journal in, on this boot. */
  String seat() {
    return bootId() + "-data";
  }

  Disk disk() {
    return disk;
  }

  SimWorkers workers() {
    return workers;
  }

  Watcher watcher() {
    return watcher;
  }

  /** The pool of this name. */
  SimPool pool(String pool) {
    return pools.stream().filter(one -> one.name().equals(pool)).findFirst().orElseThrow();
  }

  /** Of this boot. */
  Watchdog watchdog() {
    return watchdog;
  }

  /**
   * Whoever follows the runs now: told when a process has ended, what a staged one says, and when
   * it is time to measure.
   */
  void listen(Consumer<AttemptKey> next, BiConsumer<Run, Said> says, Runnable measure) {
    listener = next;
    hearer = says;
    meter = measure;
  }

  /** Nothing starts on it until then. */
  void breakUntil(long until) {
    brokenUntil = until;
  }

  boolean broken() {
    return world.now() < brokenUntil;
  }

  /** Nothing can be journaled on it until then. */
  void fillUntil(long until) {
    fullUntil = until;
  }

  boolean full() {
    return world.now() < fullUntil;
  }

  /** It has no spawner until then. */
  void helplessUntil(long until) {
    helplessUntil = until;
  }

  boolean helpless() {
    return world.now() < helplessUntil;
  }

  /** The dispatchers do not know the key of its agent until then. */
  void misfitUntil(long until) {
    misfitUntil = until;
  }

  /** Whether its key has fitted for so long, ms. */
  boolean hasFitted(long ms) {
    return world.now() >= misfitUntil + ms;
  }

  boolean misfit() {
    return world.now() < misfitUntil;
  }

  MachineMemory memory() {
    return memory;
  }

  List<String> gpuIds() {
    return IntStream.range(0, gpus).mapToObj(String::valueOf).toList();
  }

  /** Of its devices and slots, with nothing held. */
  DeviceLedger ledger() {
    return MachineMemory.ledger(gpus, slots);
  }

  Stream<Run> alive() {
    return Stream.concat(runs.values().stream(), strays.stream())
        .filter(run -> run.stage == Stage.ALIVE);
  }

  /** The jobs that run: as processes of their own, and by workers of pools. */
  Stream<Run> running() {
    return Stream.concat(alive(), workers.tasks());
  }

  /** What is held: by processes, and by what is left of ended ones. */
  Stream<Holding> holdings() {
    Stream<Holding> held = alive().map(run -> holding(run, run.allocation.cpuSlots()));
    Stream<Holding> left =
        leftOver.stream().filter(run -> run.cleanAt > world.now()).map(run -> holding(run, 0));
    Stream<Holding> warm = workers.all().flatMap(worker -> worker.holding().stream());
    return Stream.of(held, left, warm).flatMap(one -> one);
  }

  private Holding holding(Run run, int cpuSlots) {
    Gpus gpus = run.place.workload().share().gpus();
    OptionalLong shared = gpus.shared() ? gpus.memory() : OptionalLong.empty();
    return new Holding(
        run.devices(),
        run.isStaged() && gpus.shared()
            ? OptionalLong.of(shared.orElse(world.staging.get().gates().defaultCudaMemory()))
            : shared,
        cpuSlots);
  }

  /** In how many ms nothing will be left of an attempt on its devices. */
  long cleanIn(RunKey key) {
    if (key instanceof WorkerKey worker) {
      return workers.cleanIn(worker);
    }
    return leftOver.stream()
        .filter(run -> key(run).equals(key))
        .mapToLong(run -> run.cleanAt - world.now())
        .reduce(1, Math::max);
  }

  /** How processes of a job have ended by themselves. */
  List<RunEnd> ends(String job) {
    return ends.getOrDefault(job, List.of());
  }

  /** Deletes a run's folder. */
  void remove(RunKey key) {
    Run run = runs.remove(key);
    if (run != null && run.stage == Stage.ALIVE) {
      strays.add(run);
    }
  }

  /** The power goes, and stays away. */
  void off() {
    life.end();
    endRuns();
  }

  /** The power goes, and comes back. */
  void reboot(boolean diskLost) {
    off();
    if (diskLost) {
      runs.clear();
      disk.replace();
    } else {
      disk.losePower();
    }
    boot();
  }

  private void endRuns() {
    for (Run run : alive().toList()) {
      world.note(name, "power ends " + key(run));
      // Its exit was seen by nobody, but its folder is there.
      run.stage = Stage.ENDED;
      run.end = RunEnd.unseen();
    }
    strays.clear();
    leftOver.clear();
    workers.clear();
  }

  /** The launcher takes what was asked for, unless it was revoked or time is up. */
  void launch(Run run, Consumer<Boolean> answer) {
    Run before = runs.get(key(run));
    boolean follows = before != null && before.output != null && before.starts < run.starts;
    world.staging.ifPresent(
        rules -> run.output = follows ? before.output : new StagedOutput(rules.stages()));
    remove(key(run));
    runs.put(key(run), run);
    boolean slow = world.diskChance.is(SLOW_SPAWN);
    world.timeline.after(
        slow ? world.diskChance.between(40, 5_000) : world.chance.between(0, 40),
        life,
        () -> {
          if (run.stage != Stage.ASKED) {
            return;
          }
          boolean allowed = watchdog.allows();
          run.stage = allowed ? Stage.ALIVE : Stage.REVOKED;
          if (allowed) {
            begin(run);
          }
          answer.accept(allowed);
        });
  }

  private void begin(Run run) {
    run.process =
        Optional.of(
            new RunProcess(
                world.chance.between(2, 1 << 20), 1, bootId(), world.databaseNow(), bootMs()));
    world.note(name, "begins " + key(run));
    watcher.begins(this, run);
    if (run.isStaged()) {
      run.staged = Optional.of(new StagedProcess(world, this, run));
      world.check(() -> disk.rules().staged().begins(this));
      return;
    }
    if (run.place.workload() instanceof Workload.Process whole && whole.program().gated()) {
      world.sees(StageSight.GATED);
    }
    grow(run, 2);
    int most = run.place.params().path("ms").asInt();
    int takes = world.chance.between(most / 2, most);
    world.timeline.after(takes / 2, life, () -> grow(run, 1));
    world.timeline.after(takes, life, () -> finish(run));
  }

  /** It takes this part of what it takes in the end, if that is to be had. */
  private void grow(Run run, int part) {
    if (run.stage != Stage.ALIVE) {
      return;
    }
    Optional<FailureCategory> full = memory.grow(run, part);
    meter.run();
    full.ifPresent(category -> endsItself(run, outOfMemory(category)));
  }

  private static RunEnd outOfMemory(FailureCategory category) {
    return new RunEnd(
        OptionalInt.of(1),
        Optional.empty(),
        Optional.empty(),
        Optional.of(category),
        Optional.of("out of memory"));
  }

  private void finish(Run run) {
    if (run.stage != Stage.ALIVE) {
      return;
    }
    boolean fails = world.chance.is(run.place.params().path("fails").asInt() / 100.0);
    endsItself(
        run,
        fails
            ? new RunEnd(
                OptionalInt.of(1),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(Words.note(world.chance)))
            : new RunEnd(
                OptionalInt.of(0),
                Optional.of(Words.result(world.chance, gives(run.place))),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
  }

  static JsonNode gives(Place place) {
    String pad = "y".repeat(place.params().path("gives").asInt());
    return Json.tree(Map.of("of", place.job(), "pad", pad));
  }

  private void endsItself(Run run, RunEnd how) {
    endsItself(run, how, how);
  }

  /**
   * A process ends by itself.
   *
   * @param worth what that is to be taken for
   */
  void endsItself(Run run, RunEnd how, RunEnd worth) {
    watchdog.ends(run);
    endedItself(run.place.job(), worth);
    end(run, how);
  }

  /** A staged process says something. */
  void says(Run run, Said said) {
    hearer.accept(run, said);
  }

  /** It is time to measure. */
  void measure() {
    meter.run();
  }

  /** A process of a job has ended by itself, or a worker has done the job, or died of it. */
  void endedItself(String job, RunEnd how) {
    ends.computeIfAbsent(job, first -> new ArrayList<>()).add(how);
  }

  /** No process of the run is left. */
  void end(Run run, RunEnd how) {
    if (run.stage == Stage.ALIVE) {
      run.stage = Stage.ENDED;
      run.end = how;
      leftOver.removeIf(one -> one.cleanAt <= world.now());
      leftOver.add(run);
      run.cleanAt = world.now() + world.diskChance.between(1, LEFT_ON_DEVICES);
      world.note(name, "ended " + key(run) + " " + how.exitCode());
      listener.accept(key(run));
    }
  }

  /** Makes sure that the run does not begin; false if it has. */
  boolean revoke(RunKey key) {
    Run run = runs.get(key);
    if (run == null) {
      return true;
    }
    if (run.stage == Stage.ASKED) {
      run.stage = Stage.REVOKED;
    }
    return run.stage == Stage.REVOKED;
  }

  static AttemptKey key(Run run) {
    return new AttemptKey(run.place.job(), run.place.attempt());
  }
}
