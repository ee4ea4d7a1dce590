package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.staged.Said;
import io.stoker.agent.staged.Said.What;
import io.stoker.common.state.FailureCategory;
import io.stoker.simulation.Machine.Run;
import io.stoker.simulation.Machine.Stage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The process of a staged attempt: it loads and trains when it is told to by lines, each once, and
 * answers by lines. It goes on without its agent, and may end at any moment.
 */
final class StagedProcess {
  /** Longest time that a line takes, ms. */
  private static final int LINE = 4;

  /** What a process that has trained keeps on a device now and then, bytes. */
  private static final long CONTEXT = 256L << 20;

  private final World world;
  private final Machine machine;
  private final Run run;
  private final StagedOutput output;
  private final Chance chance;

  /** Bytes that it has on each device. */
  private final Map<String, Long> used = new HashMap<>();

  private Optional<String> device = Optional.empty();
  private int last;
  private boolean busy;
  private boolean loaded;
  private boolean trained;
  private boolean blamed;
  private long hearsAt;

  StagedProcess(World world, Machine machine, Run run) {
    this.world = world;
    this.machine = machine;
    this.run = run;
    this.output = run.output;
    this.chance = world.stageChance;
  }

  /** On which it trains, if on one. */
  List<String> devices() {
    return device.map(List::of).orElse(List.of());
  }

  /** Bytes that it has on a device. */
  long usedOn(String id) {
    return used.getOrDefault(id, 0L);
  }

  /** A line is written for it. */
  void tell(JsonNode command) {
    hearsAt = Math.max(hearsAt, world.now() + chance.between(0, LINE));
    later(hearsAt - world.now(), () -> hear(command));
  }

  private void hear(JsonNode command) {
    int n = command.path("n").asInt();
    world.note(machine.name, Machine.key(run) + " is told " + command);
    if (n <= last) {
      world.sees(StageSight.TOLD_AGAIN);
      return;
    }
    last = n;
    boolean loads = command.path("do").asText().equals("load");
    world.check(
        () -> {
          output.begins(Machine.key(run), loads, loaded);
          hold(!busy, "%s is told %s before it has answered", Machine.key(run), command);
        });
    if (busy || blamed || mayCrash()) {
      return;
    }
    busy = true;
    if (loads) {
      later(takes("load"), this::load);
    } else {
      train(command.path("device").asText());
    }
  }

  private int takes(String what) {
    int most = run.place.params().path(what).asInt();
    int stalls = goesWrong(Fault.STAGED_STALLS) ? chance.between(3_000, 25_000) : 0;
    return stalls + chance.between(most / 2, most);
  }

  private void load() {
    if (mayCrash() || fails()) {
      return;
    }
    long bytes = run.place.params().path("mem").asLong() << 30;
    if (machine.memory().free() < bytes || goesWrong(Fault.STAGED_FULL)) {
      world.sees(StageSight.LOAD_OOM);
      outOfMemory(output.loadsOut());
      if (chance.is(0.4)) {
        // Without a word.
        machine.end(run, end(137, FailureCategory.HOST_OOM));
      } else {
        answer(What.OOM);
      }
      return;
    }
    run.memory = bytes;
    loaded = true;
    machine.measure();
    answer(What.DONE);
  }

  private void train(String told) {
    if (!told.equals("cpu")) {
      device = Optional.of(machine.gpuIds().get(Integer.parseInt(told.substring(5))));
      machine.watcher().takesRoom(machine);
    }
    int takes = takes("train");
    int n = last;
    later(takes / 2, () -> grow(n));
    later(takes, () -> finish(n));
  }

  /** It takes what it needs of its device, if that is to be had. */
  private void grow(int n) {
    if (!busy || n != last || mayCrash() || device.isEmpty()) {
      return;
    }
    String on = device.get();
    long bytes = run.place.params().path("gib").asLong() << 30;
    if (machine.memory().taken(on) - usedOn(on) + bytes <= MachineMemory.OF_GPU
        && !goesWrong(Fault.STAGED_FULL)) {
      used.put(on, bytes);
      machine.measure();
      return;
    }
    world.sees(StageSight.TRAIN_OOM);
    if (chance.is(0.1)) {
      endsItself(end(1, FailureCategory.GPU_OOM));
      return;
    }
    used.put(on, chance.is(0.5) ? CONTEXT : 0);
    device = Optional.empty();
    machine.measure();
    outOfMemory(output.trainsOut());
    answer(What.OOM);
  }

  private void finish(int n) {
    if (!busy || n != last || mayCrash() || fails()) {
      return;
    }
    trained = true;
    output.trained();
    world.sees(StageSight.TRAINED);
    answer(What.DONE);
    later(chance.between(0, 800), () -> mayCrash());
    later(
        chance.between(0, 800),
        () ->
            endsItself(
                new RunEnd(
                    OptionalInt.of(0),
                    Optional.of(Words.result(chance, Machine.gives(run.place))),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty())));
  }

  /** What was tried for the last time is the end of its attempt, by its own fault. */
  private void outOfMemory(boolean wasLast) {
    if (wasLast) {
      blame();
    }
  }

  private void blame() {
    blamed = true;
    machine.endedItself(run.place.job(), RunEnd.exit(1));
  }

  /** Whether it fails here, and says so. */
  private boolean fails() {
    if (!chance.is(run.place.params().path("fails").asInt() / 100.0)) {
      return false;
    }
    blame();
    boolean other = chance.is(0.2);
    answer(new Said(other ? 2 : Said.VERSION, last, What.EXCEPTION, Optional.of("wrong")));
    later(chance.between(0, 1_000), () -> machine.end(run, RunEnd.exit(1)));
    return true;
  }

  private void answer(What what) {
    answer(new Said(Said.VERSION, last, what, Optional.of("of " + last)));
  }

  private void answer(Said said) {
    busy = false;
    say(said);
    if (goesWrong(Fault.STAGED_BABBLES)) {
      int other = chance.of(List.of(last, last - 1, last + 1_000, 0));
      say(new Said(Said.VERSION, other, chance.of(List.of(What.values())), Optional.empty()));
    }
    mayCrash();
  }

  private void say(Said said) {
    world.note(machine.name, Machine.key(run) + " says " + said);
    output.said(said);
    machine.says(run, said);
  }

  private boolean goesWrong(Fault kind) {
    return world.fault(kind, chance, Optional.of(machine.host));
  }

  /** Whether it ends here, by itself. */
  private boolean mayCrash() {
    if (run.stage != Stage.ALIVE || !goesWrong(Fault.STAGED_CRASH)) {
      return run.stage != Stage.ALIVE;
    }
    endsItself(RunEnd.exit(chance.of(List.of(0, 1, 139))));
    return true;
  }

  private void endsItself(RunEnd how) {
    // An end that looks good before it has trained is none.
    boolean good = trained || !how.exitCode().equals(OptionalInt.of(0));
    machine.endsItself(run, how, good ? how : RunEnd.exit(1));
  }

  private static RunEnd end(int code, FailureCategory category) {
    return RunEnd.exit(code).because(category, "out of memory");
  }

  /** In its own life, which goes on without its agent. */
  private void later(long ms, Runnable what) {
    world.timeline.after(
        ms,
        machine.life(),
        () -> {
          if (run.stage == Stage.ALIVE) {
            what.run();
          }
        });
  }
}
