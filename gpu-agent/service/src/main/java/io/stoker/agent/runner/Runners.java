package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.report.LogSink;
import io.stoker.agent.spawn.BootClock;
import io.stoker.common.message.NodeMachine;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * All runners of a host, and which of them has which run: by the runner of its workload, and
 * without one {@link JobRunner}. Touched by one thread, the agent's.
 */
public final class Runners implements AutoCloseable {
  private final JobRunner processes;
  private final OutputFollower outputs;
  private final Map<String, Runner> others = new LinkedHashMap<>();

  /** Runs of {@link #others} that this agent has started or taken over. */
  private final Map<AttemptKey, Runner> routes = new HashMap<>();

  private final Consumer<Input> inputs;
  private final boolean commands;

  /**
   * Opens them.
   *
   * @param inputs told what happens
   * @throws IOException if one of them cannot be used
   */
  public Runners(
      RunnerSettings settings,
      LogSink logs,
      Inputs inputs,
      BootClock clock,
      List<RunnerFactory> factories)
      throws IOException {
    this.inputs = inputs;
    this.commands = settings.commands();
    processes = new JobRunner(settings, logs, inputs, clock);
    outputs = new OutputFollower(place -> processes.outputs().open(RunSpec.of(place)), inputs);
    RunnerContext context =
        new RunnerContext(settings, processes.folders(), outputs, inputs, clock);
    for (RunnerFactory factory : factories) {
      Runner runner = factory.open(context);
      others.put(runner.type(), runner);
    }
  }

  /** The runner of this host's processes. */
  public JobRunner processes() {
    return processes;
  }

  /** Jobs at once, of each type that is not this host's processes. */
  public Map<String, Integer> slots() {
    Map<String, Integer> slots = new LinkedHashMap<>();
    others.forEach((type, runner) -> slots.put(type, runner.slots()));
    return slots;
  }

  /** The machines with GPUs that jobs are run on, of types that have some; each kind once. */
  public Map<String, List<NodeMachine>> machines() {
    Map<String, List<NodeMachine>> machines = new LinkedHashMap<>();
    others.forEach((type, runner) -> machines.put(type, runner.machines()));
    machines.values().removeIf(List::isEmpty);
    return machines;
  }

  /**
   * Holds the configuration to what an earlier agent has taken: what runs elsewhere goes on.
   *
   * @param live attempts of each type
   * @throws IllegalArgumentException if some of them would be followed, and ended, by nobody
   */
  public void mustServe(Map<String, Long> live) {
    live.forEach(
        (type, attempts) -> {
          if (!others.containsKey(type)) {
            throw new IllegalArgumentException(
                ("stoker.agent.runners.types: without %s, of which %d attempt(s) have not ended on this"
                        + " host: leave it there until they have")
                    .formatted(type, attempts));
          }
        });
  }

  /**
   * Ends what an earlier agent left and does not know. Comes first of all.
   *
   * @return completes when no process of it is left on this host
   */
  public CompletableFuture<Void> clear(Set<AttemptKey> known) {
    others.values().forEach(runner -> runner.clear(known));
    return processes.killStrangers(known, unended());
  }

  /** Leftovers elsewhere that may not have ended when {@link #clear} returned. */
  public Set<AttemptKey> unended() {
    Set<AttemptKey> all = new HashSet<>();
    others.values().forEach(runner -> all.addAll(runner.unended()));
    return all;
  }

  /**
   * Starts a run, or another process of a staged one that has ended.
   *
   * @param starts which of the attempt's processes it is, from 1
   */
  public void start(Place place, Allocation allocation, int starts) {
    if (!commands && place.program().claim().kind().isEmpty()) {
      inputs.accept(
          new Input.NotStarted(
              AttemptKey.of(place),
              Input.Cause.LAUNCH,
              "its request says itself what to run, and this host runs configured kinds only"
                  + " (stoker.agent.allow-commands is false)"));
    } else if (place.workload().runner().isEmpty()) {
      processes.launch(place, allocation, starts);
    } else {
      route(place).ifPresent(runner -> runner.start(place, allocation));
    }
  }

  /**
   * Finds out what became of a run of an earlier agent.
   *
   * @param known its process, if that was journaled
   * @param starts which of the attempt's processes it is, from 1
   */
  public void adopt(Place place, Optional<RunProcess> known, int starts) {
    if (place.workload().runner().isEmpty()) {
      processes.adopt(place, known, starts);
    } else {
      route(place).ifPresent(runner -> runner.adopt(place, known));
    }
  }

  private Optional<Runner> route(Place place) {
    AttemptKey key = AttemptKey.of(place);
    String type = place.workload().runner().orElseThrow();
    Runner runner = others.get(type);
    if (runner == null) {
      inputs.accept(
          new Input.NotStarted(key, Input.Cause.REFUSED, "this host does not serve type " + type));
    } else {
      routes.put(key, runner);
    }
    return Optional.ofNullable(runner);
  }

  /** Ends a run; its end is told when nothing of it is left. */
  public void kill(RunKey key, long graceMs) {
    if (key instanceof AttemptKey attempt && routes.containsKey(attempt)) {
      routes.get(attempt).kill(attempt, graceMs);
    } else {
      processes.kill(key, graceMs);
    }
  }

  /** Deletes what an ended run left. */
  public void remove(RunKey key) {
    if (key instanceof AttemptKey attempt) {
      Optional.ofNullable(routes.remove(attempt))
          .map(List::of)
          .orElseGet(() -> List.copyOf(others.values()))
          .forEach(runner -> runner.remove(attempt));
    }
    processes.remove(key);
  }

  /** They start nothing any more. What runs goes on. */
  @Override
  public void close() {
    others.values().forEach(Runner::close);
    outputs.close();
    processes.close();
  }
}
