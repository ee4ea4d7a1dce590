package io.stoker.agent.runner;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.pool.Pool;
import io.stoker.agent.pool.PoolEffect;
import io.stoker.agent.pool.PoolMemory;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.pool.Task;
import io.stoker.agent.pool.TaskEnd;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.Workload;
import io.stoker.common.message.Workload.Claim;
import io.stoker.common.message.Workload.Program;
import io.stoker.common.message.Workload.Share;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** A pool on real processes: the runner does what it decides, and tells it what happens. */
final class PoolOnProcesses {
  private static final long PATIENCE_MS = 60_000;

  private final RunnerFixture fixture;
  final Pool pool;

  /** What each task is given, as JSON. */
  private final Map<Task, String> params = new HashMap<>();

  final Map<Task, TaskEnd> ends = new LinkedHashMap<>();

  /** First processes of the workers that are there. */
  final Map<Integer, Long> pids = new HashMap<>();

  /** What it has said for the log. */
  final List<String> notes = new ArrayList<>();

  /** Workers that had got ready, and ended without being told to. */
  long crashes;

  private final Set<Integer> ready = new HashSet<>();
  private final Set<Integer> told = new HashSet<>();

  PoolOnProcesses(RunnerFixture fixture, PoolSettings settings) {
    this.fixture = fixture;
    this.pool = new Pool(settings, PoolMemory.NONE, 0);
    tick();
  }

  long now() {
    return fixture.clock.bootMs();
  }

  void tick() {
    pool.tick(now());
    carry();
  }

  boolean offer(String job, String json) {
    Task task = new Task(job, 1);
    params.put(task, json);
    boolean taken = pool.offer(task, now());
    carry();
    return taken;
  }

  void carry() {
    for (List<PoolEffect> all = pool.effects(); !all.isEmpty(); all = pool.effects()) {
      all.forEach(this::carry);
    }
  }

  private void carry(PoolEffect effect) {
    switch (effect) {
      case PoolEffect.Start start -> {
        pool.granted(start.process(), now());
        fixture.runner.startWorker(
            key(start.process()),
            process(start.process()),
            new Allocation(
                key(start.process()).toString(), List.of(), false, OptionalLong.empty(), 0));
      }
      case PoolEffect.Give give ->
          tell(
              give.process(),
              "{\"v\":1,\"n\":%d,\"do\":\"job\",\"params\":%s}"
                  .formatted(give.n(), params.get(give.task())));
      case PoolEffect.Begun begun -> {}
      case PoolEffect.Back back -> {}
      case PoolEffect.Withdraw withdraw ->
          tell(
              withdraw.process(), "{\"v\":1,\"n\":%d,\"do\":\"withdraw\"}".formatted(withdraw.n()));
      case PoolEffect.Stop stop -> {
        told.add(stop.process());
        tell(stop.process(), "{\"v\":1,\"do\":\"stop\"}");
      }
      case PoolEffect.Kill kill -> {
        told.add(kill.process());
        fixture.runner.kill(key(kill.process()), 0);
      }
      case PoolEffect.Left left -> {
        if (ends.put(left.task(), left.end()) != null) {
          throw new AssertionError(left + " has left before");
        }
        pool.delivered(List.of(left.task()), now());
      }
      case PoolEffect.CapacityChanged changed -> {}
      case PoolEffect.Remember it -> {}
      case PoolEffect.Note note -> notes.add(note.sentence());
    }
  }

  private void tell(int process, String line) {
    try {
      fixture.runner.tellWorker(key(process), List.of(Json.read(line)));
    } catch (MalformedJson e) {
      throw new AssertionError(line, e);
    }
  }

  private static WorkerKey key(int process) {
    return new WorkerKey("p", "test", process);
  }

  /** Takes inputs until something is so, and lets time pass for the pool as its agent does. */
  void until(BooleanSupplier so) throws InterruptedException {
    long heard = now();
    while (!so.getAsBoolean()) {
      long next = Math.min(pool.nextTick().orElse(Long.MAX_VALUE), heard + PATIENCE_MS);
      Optional<Input> input = fixture.next(Math.max(1, next - now()));
      if (input.isPresent()) {
        heard = now();
        take(input.get());
      } else if (now() - heard >= PATIENCE_MS) {
        throw new AssertionError("nothing came for a minute; " + pool.report());
      } else {
        tick();
      }
    }
  }

  private void take(Input input) {
    switch (input) {
      case Input.Started started -> started(started.key(), started.process());
      case Input.WorkerReady up -> {
        ready.add(up.key().process());
        pool.ready(up.key().process(), up.ahead(), now());
      }
      case Input.WorkerAnswered said ->
          pool.answered(said.key().process(), said.n(), said.answer(), now());
      case Input.NotStarted not -> gone(not.key(), not.reason(), OptionalInt.empty());
      case Input.Exited exited ->
          gone(exited.key(), "exit " + exited.end().exitCode(), exited.end().exitCode());
      default -> throw new AssertionError("unexpected: " + input);
    }
    carry();
  }

  private void started(RunKey key, RunProcess process) {
    pids.put(key.number(), process.pid());
  }

  private void gone(RunKey key, String how, OptionalInt code) {
    pids.remove(key.number());
    if (ready.remove(key.number()) && !told.contains(key.number())) {
      crashes++;
    }
    pool.gone(key.number(), how, now());
    fixture.runner.remove(key);
  }

  private Workload.Process process(int process) {
    return new Workload.Process(
        new Program(
            pool.settings().command(),
            Map.of("STOKER_WORKERS", "1", "STOKER_SEED", Integer.toString(process)),
            Optional.empty(),
            false,
            OptionalLong.empty(),
            Claim.ofSecrets(pool.settings().secrets())),
        Share.NONE);
  }
}
