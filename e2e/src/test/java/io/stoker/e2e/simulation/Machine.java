package io.stoker.e2e.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.common.json.Json;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
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

    Run(Place place, Allocation allocation) {
      this.place = place;
      this.allocation = allocation;
    }
  }

  /** Hears of processes that begin, so that invariants can be checked. */
  interface Watcher {
    void begins(Machine machine, Run run);
  }

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
  private final World world;
  private final Watcher watcher;
  private final MachineMemory memory = new MachineMemory(this::alive);
  private Life life;
  private final Disk disk;
  private long bootedAt;
  private int boots;
  private long deadline;
  private Consumer<AttemptKey> listener = key -> {};
  private Runnable meter = () -> {};
  private long brokenUntil;
  private long fullUntil;
  private long helplessUntil;

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
    boot();
  }

  private void boot() {
    boots++;
    life = new Life(Life.Kind.MACHINE, name);
    bootedAt = world.now() - world.chance.between(0, 100_000);
    deadline = 0;
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

  /** Deadline on this boot, 0 if none was set. */
  long deadline() {
    return deadline;
  }

  /**
   * Whoever follows the runs now: told when a process has ended, and when it is time to measure.
   */
  void listen(Consumer<AttemptKey> next, Runnable measure) {
    listener = next;
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

  MachineMemory memory() {
    return memory;
  }

  List<String> gpuIds() {
    return IntStream.range(0, gpus).mapToObj(String::valueOf).toList();
  }

  Stream<Run> alive() {
    return runs.values().stream().filter(run -> run.stage == Stage.ALIVE);
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
    for (Run run : runs.values()) {
      if (run.stage == Stage.ALIVE) {
        world.note(name, "power ends " + key(run));
        // Its exit was seen by nobody, but its folder is there.
        run.stage = Stage.ENDED;
        run.end = RunEnd.unseen();
      }
    }
  }

  void moveDeadline(long bootMs) {
    deadline = bootMs;
    if (world.has(Defect.NO_WATCHDOG)) {
      return;
    }
    long late = world.chance.between(0, Settings.KILL_TIME);
    world.timeline.after(bootMs - bootMs() + late, life, this::watch);
  }

  /** The watchdog looks whether time is up. */
  private void watch() {
    if (bootMs() >= deadline) {
      for (Run run : List.copyOf(runs.values())) {
        if (run.stage == Stage.ALIVE) {
          world.note(name, "watchdog kills " + key(run));
          end(run, RunEnd.exit(137));
        }
      }
    }
  }

  /** The launcher takes what was asked for, unless it was revoked or time is up. */
  void launch(Run run, Consumer<Boolean> answer) {
    runs.put(key(run), run);
    world.timeline.after(
        world.chance.between(0, 40),
        life,
        () -> {
          if (run.stage != Stage.ASKED) {
            return;
          }
          boolean allowed = bootMs() < deadline || world.has(Defect.NO_WATCHDOG);
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
    full.ifPresent(category -> end(run, outOfMemory(category)));
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
    end(
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

  private static JsonNode gives(Place place) {
    String pad = "y".repeat(place.params().path("gives").asInt());
    return Json.tree(Map.of("of", place.job(), "pad", pad));
  }

  /** Nothing of the run is left. */
  void end(Run run, RunEnd how) {
    if (run.stage == Stage.ALIVE) {
      run.stage = Stage.ENDED;
      run.end = how;
      world.note(name, "ended " + key(run) + " " + how.exitCode());
      listener.accept(key(run));
    }
  }

  /** Makes sure that the run does not begin; false if it has. */
  boolean revoke(AttemptKey key) {
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
