package io.stoker.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.DeviceSample;
import io.stoker.agent.attempt.Input.RunSample;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.loop.Runs;
import io.stoker.agent.staged.Said;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import io.stoker.simulation.Machine.Run;
import io.stoker.simulation.Machine.Stage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Starts, finds, ends and measures runs for an agent, as JobRunner and DeviceWatch. */
final class SimRunner implements Runs {
  /** Probability that a run says something as soon as it has started. */
  private static final double SPEAKS = 0.3;

  /** From one look at the host to the next while gates hold jobs back, ms. */
  private static final int LOOK = 1_000;

  private final World world;
  private final Machine machine;
  private final Life life;
  private final Consumer<Input> inputs;
  private final Consumer<Input> words;

  /** Staged attempts whose processes it hears, and until when a word of each takes. */
  private final Map<AttemptKey, Long> heard = new HashMap<>();

  /**
   * @param words what workers of pools say
   */
  SimRunner(
      World world, Machine machine, Life life, Consumer<Input> inputs, Consumer<Input> words) {
    this.world = world;
    this.machine = machine;
    this.life = life;
    this.inputs = inputs;
    this.words = words;
  }

  /** Hears of the machine's runs from now on, in place of whoever did before. */
  void follow() {
    machine.listen(this::processEnded, this::says, this::measure);
    measure();
    if (world.staging.isPresent()) {
      look();
    }
  }

  @Override
  public void launch(Place place, Allocation allocation, int starts) {
    launch(new Run(place, allocation, starts));
  }

  @Override
  public void adopt(Place place, Optional<RunProcess> known, int starts) {
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    world.timeline.after(world.chance.between(1, 30), life, () -> adopt(key, known, starts));
  }

  @Override
  public void remove(RunKey key) {
    machine.remove(key);
  }

  @Override
  public void toldBefore(AttemptKey key, ToldBefore told) {
    // Nothing here has output.
  }

  @Override
  public void retell(AttemptKey key, String request) {
    inputs.accept(new Input.Retold(key));
  }

  @Override
  public void tell(AttemptKey key, JsonNode command) {
    Run run = machine.runs.get(key);
    if (run != null && run.stage == Stage.ALIVE) {
      machine.disk().rules().staged().tells(key, command);
      run.staged.orElseThrow().tell(command);
    }
  }

  @Override
  public void closeLog(AttemptKey key) {
    heard.remove(key);
  }

  @Override
  public void startWorker(WorkerKey key, Workload.Process process, Allocation allocation) {
    if (machine.helpless()) {
      answer(new Input.NotStarted(key, Cause.REFUSED, "no spawner"));
    } else if (machine.broken()) {
      answer(new Input.NotStarted(key, Cause.LAUNCH, "no scratch disk"));
    } else {
      SimWorker worker = new SimWorker(world, machine, key, allocation, life, words);
      machine.workers().add(worker);
      worker.start();
    }
  }

  private void answer(Input word) {
    world.timeline.after(world.poolChance.between(0, 20), life, () -> words.accept(word));
  }

  @Override
  public void tellWorker(WorkerKey key, List<JsonNode> lines) {
    machine.workers().find(key).ifPresent(worker -> worker.tell(lines));
  }

  /** What the agent before this left of workers was ended before anything else. */
  @Override
  public void lost(AttemptKey key) {
    answer(new Input.Exited(key, RunEnd.unseen()));
  }

  private void kill(WorkerKey key) {
    Optional<SimWorker> known = machine.workers().find(key);
    if (known.map(SimWorker::revoke).orElse(false)) {
      answer(Input.NotStarted.unbegun(key));
    } else {
      world.timeline.after(
          world.poolChance.between(1, 50),
          life,
          () -> known.ifPresent(worker -> worker.kill(RunEnd.exit(137))));
    }
  }

  private void launch(Run run) {
    AttemptKey key = Machine.key(run);
    Run before = machine.runs.get(key);
    if (before != null && before.stage != Stage.REVOKED && before.starts >= run.starts) {
      adopt(key, Optional.empty(), run.starts);
    } else {
      start(run);
    }
  }

  /** Starts one of which no folder is there. */
  void start(Run run) {
    AttemptKey key = Machine.key(run);
    machine.disk().rules().launches(key, machine.bootId());
    if (run.isStaged()) {
      heard.putIfAbsent(key, 0L);
    }
    if (machine.helpless()) {
      run.stage = Stage.REVOKED;
      machine.runs.put(key, run);
      tell(() -> inputs.accept(new Input.NotStarted(key, Cause.REFUSED, "no spawner")));
      return;
    }
    if (machine.broken()) {
      run.stage = Stage.REVOKED;
      machine.runs.put(key, run);
      tell(() -> inputs.accept(new Input.NotStarted(key, Cause.LAUNCH, "no scratch disk")));
      return;
    }
    machine.launch(
        run,
        allowed -> {
          if (allowed) {
            tell(() -> inputs.accept(new Input.Started(key, run.process.orElseThrow())));
            maySpeak(key, run);
          } else {
            tell(
                () -> inputs.accept(new Input.NotStarted(key, Cause.REFUSED, "the lease is over")));
          }
        });
  }

  /** As MarkerLines, which may be faster than the word that it has started. */
  private void maySpeak(AttemptKey key, Run run) {
    if (world.chance.is(SPEAKS)) {
      tell(
          () -> {
            if (run.stage == Stage.ALIVE) {
              inputs.accept(
                  new Input.Result(key, Words.result(world.chance, IntNode.valueOf(1)), 0));
            }
          });
    }
  }

  /** The launcher's and the kernel's answers reach the agent that lives then, a moment later. */
  private void tell(Runnable answer) {
    world.timeline.after(world.chance.between(0, 20), life, answer);
  }

  private void adopt(AttemptKey key, Optional<RunProcess> known, int starts) {
    Run run = machine.runs.get(key);
    if (run != null && known.isEmpty() && run.starts < starts) {
      inputs.accept(new Input.NotStarted(key, Cause.UNCLAIMED, "its launch was lost"));
      return;
    }
    boolean otherBoot = known.isPresent() && !known.get().bootId().equals(machine.bootId());
    if (run == null || otherBoot) {
      if (known.isPresent()) {
        inputs.accept(new Input.Exited(key, run == null ? RunEnd.unseen() : run.end));
      } else {
        inputs.accept(new Input.NotStarted(key, Cause.UNCLAIMED, "its launch was lost"));
      }
      return;
    }
    switch (run.stage) {
      case ASKED, REVOKED -> {
        machine.revoke(key);
        inputs.accept(new Input.NotStarted(key, Cause.UNCLAIMED, "its launch was lost"));
      }
      case ALIVE -> found(key, run);
      case ENDED -> {
        found(key, run);
        inputs.accept(new Input.Exited(key, run.end));
      }
    }
  }

  /** What a staged one has written is read from the beginning. */
  private void found(AttemptKey key, Run run) {
    inputs.accept(new Input.Started(key, run.process.orElseThrow()));
    if (run.isStaged()) {
      heard.putIfAbsent(key, 0L);
      run.output.lines().forEach(said -> inputs.accept(new Input.StageSaid(key, said)));
    }
  }

  @Override
  public void kill(RunKey key, long grace) {
    if (key instanceof WorkerKey worker) {
      kill(worker);
      return;
    }
    if (machine.revoke(key)) {
      inputs.accept(Input.NotStarted.unbegun(key));
      return;
    }
    Run run = machine.runs.get(key);
    world.timeline.after(
        world.chance.between(1, (int) Math.max(50, grace)),
        life,
        () -> machine.end(run, RunEnd.exit(143)));
  }

  /** As DeviceWatch, which looks each second; here whenever something has changed. */
  private void measure() {
    Map<String, RunSample> runs = new HashMap<>();
    Map<String, Map<String, Long>> used = new HashMap<>();
    machine.gpuIds().forEach(device -> used.put(device, new HashMap<>()));
    machine
        .alive()
        .forEach(
            run -> {
              String name = Machine.key(run).toString();
              runs.put(name, new RunSample(run.memory, 0));
              used.forEach(
                  (id, holders) -> {
                    if (run.devices().contains(id) || run.usedOn(id) > 0) {
                      holders.put(name, run.usedOn(id));
                    }
                  });
            });
    Map<String, DeviceReading> readings = new HashMap<>();
    Map<String, DeviceSample> samples = new HashMap<>();
    used.forEach(
        (device, holders) -> {
          long taken = holders.values().stream().mapToLong(bytes -> bytes).sum();
          readings.put(device, new DeviceReading(MachineMemory.OF_GPU - taken, holders));
          samples.put(
              device,
              new DeviceSample(
                  OptionalInt.empty(), OptionalLong.empty(), OptionalLong.empty(), holders));
        });
    tell(
        () -> {
          inputs.accept(new Input.HostSampled(load()));
          inputs.accept(new Input.Observed(readings));
          inputs.accept(new Input.Sampled(runs, samples));
        });
  }

  private HostLoad load() {
    boolean busy = world.staging.isPresent() && world.stageChance.is(0.2);
    return new HostLoad(busy ? 90 : 0, MachineMemory.OF_HOST, machine.memory().free());
  }

  /** Gates open with time. */
  private void look() {
    world.timeline.after(
        LOOK,
        life,
        () -> {
          measure();
          look();
        });
  }

  private void says(Run run, Said said) {
    AttemptKey key = Machine.key(run);
    hears(new Input.StageSaid(key, said), key);
  }

  /** What a staged process says, and then its end; nothing of one that is not taken over yet. */
  private void hears(Input input, AttemptKey from) {
    if (heard.containsKey(from)) {
      long at = Math.max(heard.get(from), world.now() + world.stageChance.between(0, 20));
      heard.put(from, at);
      world.timeline.after(at - world.now(), life, () -> inputs.accept(input));
    }
  }

  private void processEnded(AttemptKey key) {
    measure();
    Run ended = machine.runs.get(key);
    if (ended != null && ended.isStaged()) {
      hears(new Input.Exited(key, ended.end), key);
      return;
    }
    tell(
        () -> {
          Run run = machine.runs.get(key);
          if (run != null) {
            inputs.accept(new Input.Exited(key, run.end));
          }
        });
  }
}
