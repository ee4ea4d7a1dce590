package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.agent.attempt.Events.Ending;
import io.stoker.agent.attempt.WorkerPools.Worker;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Condition;
import io.stoker.agent.device.Decision;
import io.stoker.agent.device.Demand;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.pool.Closing;
import io.stoker.agent.pool.Pool;
import io.stoker.agent.pool.PoolEffect;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.pool.Task;
import io.stoker.agent.pool.TaskEnd;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * What follows for pools of workers: carries what a {@link Pool} decides to attempts, devices and
 * processes, and back. An attempt on a pool holds nothing of the host: the worker does.
 */
final class PoolRules {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Turn turn;
  private final AgentState state;
  private final long now;

  PoolRules(Turn turn) {
    this.turn = turn;
    this.state = turn.state;
    this.now = turn.now.bootMs();
  }

  /**
   * Takes a placement.
   *
   * @return why it was not taken
   */
  Optional<String> take(Place place) {
    Optional<Pool> pool = state.pools.find(place.pool());
    if (pool.isEmpty()) {
      return Optional.of("there is no pool " + place.pool() + " here");
    }
    Optional<String> full = pool.get().full();
    if (full.isPresent()) {
      return full;
    }
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    Allocation none = new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0);
    turn.journal(JournalEntry.Accepted.of(place, none, turn.now.wallMs()));
    turn.send(state.live.get(key).last(), state.live.get(key));
    turn.start(state.live.get(key));
    return Optional.empty();
  }

  /** Gives an attempt to its pool, if the lease allows it. */
  void start(LiveAttempt attempt) {
    if (!(attempt.phase() instanceof Phase.Waiting waiting)
        || !state.lease.mayStart(now)
        || state.stopping) {
      return;
    }
    Optional<Pool> pool = state.pools.find(attempt.place().pool());
    if (pool.isEmpty() || !pool.get().offer(task(attempt), now)) {
      String why = pool.flatMap(Pool::full).orElse("there is no such pool here");
      turn.end(attempt, Ending.of(Outcome.RETURNED, why));
      return;
    }
    state.live.put(attempt.key(), attempt.in(waiting.launch()));
    carry(pool.get());
  }

  private static Task task(LiveAttempt attempt) {
    return new Task(attempt.key().job(), attempt.key().attempt());
  }

  /** An attempt has ended that its pool was never offered. */
  void neverOffered(LiveAttempt attempt, Outcome outcome) {
    state
        .pools
        .find(attempt.place().pool())
        .ifPresent(pool -> pool.neverOffered(PoolBook.failed(outcome)));
  }

  /** Ends an attempt that a worker of an earlier agent had begun. */
  void lost(LiveAttempt attempt) {
    Optional<Pool> pool = state.pools.find(attempt.place().pool());
    if (pool.isPresent()) {
      on(pool.get(), one -> one.lost(task(attempt), now));
    } else {
      turn.end(attempt, Ending.of(Outcome.LOST, "its worker and its pool have gone"));
    }
  }

  /** Ends an attempt that its pool has; its end comes when nothing of it runs. */
  void remove(LiveAttempt attempt) {
    boolean failed =
        attempt.phase() instanceof Phase.Ending ending && PoolBook.failed(killed(ending).outcome());
    state
        .pools
        .find(attempt.place().pool())
        .ifPresent(pool -> on(pool, one -> one.remove(task(attempt), failed, now)));
  }

  /** What only waited never ran: it may be given to anybody at once. */
  private static Ending killed(Phase.Ending ending) {
    return ending.process().isPresent()
        ? RunRules.killed(ending, RunEnd.unseen())
        : Turn.endOfUnstarted(ending.reason(), ending.message());
  }

  /** Somebody else needs what idle workers hold. */
  void pressure() {
    for (Pool pool : List.copyOf(state.pools.all())) {
      PoolSettings settings = pool.settings();
      if (pool.warm() && (settings.gpus() > 0 || settings.cpuSlots() > 0)) {
        turn.note("pool %s: idle workers give up what they hold", settings.name());
        on(pool, one -> one.yield(now));
      }
    }
  }

  void told(ToAgent.Pool asked) {
    Optional<Pool> pool = state.pools.find(asked.pool());
    Optional<Closing> closing = Closing.of(asked.action());
    boolean known = closing.isPresent() || List.of("reset", "open").contains(asked.action());
    if (pool.isEmpty() || !known) {
      turn.note("pool %s cannot be told to %s", asked.pool(), asked.action());
    } else if (state.pools.first(asked.id())) {
      on(
          pool.get(),
          one -> {
            if (closing.isPresent()) {
              one.close(closing.get(), now);
            } else if (asked.action().equals("reset")) {
              one.reset(now);
            } else {
              one.open(now);
            }
          });
    }
  }

  void tick() {
    for (Pool pool : List.copyOf(state.pools.all())) {
      on(pool, one -> one.tick(now));
    }
  }

  void lapse() {
    for (Pool pool : List.copyOf(state.pools.all())) {
      if (!pool.empty()) {
        on(pool, one -> one.lapse(now));
      }
    }
  }

  void shutdown() {
    for (Pool pool : List.copyOf(state.pools.all())) {
      on(pool, one -> one.shutdown(now));
    }
  }

  /** Workers on devices that have failed. */
  void judged(Map<String, Condition> bad) {
    for (Worker worker : state.pools.workers()) {
      for (String id : worker.allocation.devices()) {
        Condition condition = bad.get(state.books.uuid(id));
        if (condition != null && !condition.serves()) {
          String why = "device %s has failed: %s".formatted(id, condition.reason());
          on(worker.pool, pool -> pool.deviceFailed(worker.number, why, now));
        }
      }
    }
  }

  void started(AttemptKey key, RunProcess process) {
    Optional<Worker> known = state.pools.worker(key);
    if (known.isEmpty()) {
      return;
    }
    Worker worker = known.get();
    worker.process = Optional.of(process);
    state.desk.processStarted(key.toString());
    state.findRoots();
    if (worker.ready) {
      on(worker.pool, pool -> pool.ready(worker.number, now));
    }
  }

  /** It may speak before the spawner, by another way, has said that it exists. */
  void ready(AttemptKey key) {
    Optional<Worker> known = state.pools.worker(key);
    if (known.isEmpty()) {
      return;
    }
    Worker worker = known.get();
    worker.ready = true;
    if (worker.process.isPresent()) {
      on(worker.pool, pool -> pool.ready(worker.number, now));
    }
  }

  void answered(AttemptKey key, long n, Answer answer) {
    Optional<Worker> found = state.pools.worker(key);
    if (found.isEmpty()) {
      return;
    }
    Worker worker = found.get();
    if (answer instanceof Answer.Progress progress) {
      worker
          .pool
          .running(worker.number, n)
          .ifPresent(task -> new RunRules(turn).progress(key(task), progress.value()));
    } else {
      on(worker.pool, pool -> pool.answered(worker.number, n, answer, now));
    }
  }

  void notStarted(AttemptKey key, Input.Cause cause, String reason) {
    Optional<Worker> worker = release(key);
    if (worker.isPresent()) {
      boolean own = cause == Input.Cause.LAUNCH;
      on(
          worker.get().pool,
          pool -> {
            if (own) {
              pool.gone(worker.get().number, reason, now);
            } else {
              pool.refused(worker.get().number, reason, now);
            }
          });
    }
  }

  void exited(AttemptKey key, RunEnd end) {
    release(key)
        .ifPresent(worker -> on(worker.pool, pool -> pool.gone(worker.number, how(end), now)));
  }

  private static String how(RunEnd end) {
    String code =
        end.exitCode().isEmpty()
            ? "without an exit code"
            : end.exitCode().getAsInt() > 128
                ? "killed by signal " + (end.exitCode().getAsInt() - 128)
                : "exit code " + end.exitCode().getAsInt();
    return end.note().map(note -> code + ": " + note).orElse(code);
  }

  /** What it held is given to others once it is clean. */
  private Optional<Worker> release(AttemptKey key) {
    Optional<Worker> gone = state.pools.remove(key);
    gone.ifPresent(
        worker -> {
          state.desk.processEnded(key.toString());
          state.findRoots();
          turn.effect(new Effect.RemoveRun(key));
          if (!worker.allocation.devices().isEmpty() && worker.process.isPresent()) {
            state.cleaning.put(key, worker.allocation);
            turn.effect(new Effect.Clean(key, worker.allocation.devices()));
          } else if (holds(worker.allocation)) {
            state.books = state.books.release(key.toString());
            state.lease.inventoryChanged(now);
          }
        });
    return gone;
  }

  private static boolean holds(Allocation allocation) {
    return !allocation.devices().isEmpty() || allocation.cpuSlots() > 0;
  }

  void delivered(List<AttemptKey> keys) {
    List<Task> tasks = keys.stream().map(key -> new Task(key.job(), key.attempt())).toList();
    for (Pool pool : List.copyOf(state.pools.all())) {
      on(pool, one -> one.delivered(tasks, now));
    }
  }

  private void on(Pool pool, Consumer<Pool> step) {
    step.accept(pool);
    carry(pool);
  }

  /** What is done may have further consequences at once. */
  private void carry(Pool pool) {
    for (List<PoolEffect> all = pool.effects(); !all.isEmpty(); all = pool.effects()) {
      all.forEach(effect -> carry(pool, effect));
    }
  }

  private void carry(Pool pool, PoolEffect effect) {
    switch (effect) {
      case PoolEffect.Start start -> begin(pool, start);
      case PoolEffect.Give give -> give(pool, give);
      case PoolEffect.Stop stop -> {
        ObjectNode line = NODES.objectNode().put("v", Answer.VERSION).put("do", "stop");
        turn.effect(new Effect.TellWorker(state.pools.key(pool, stop.process()), line));
      }
      case PoolEffect.Kill kill ->
          turn.effect(new Effect.Kill(state.pools.key(pool, kill.process()), 0));
      case PoolEffect.Left left -> left(left);
      case PoolEffect.CapacityChanged changed -> state.lease.inventoryChanged(now);
      case PoolEffect.Remember it ->
          turn.journal(
              state.poolBook.entry(
                  pool.settings().name(), it.session(), it.closing(), it.crashes()));
      case PoolEffect.Note note -> turn.note("%s", note.sentence());
    }
  }

  private void begin(Pool pool, PoolEffect.Start start) {
    AttemptKey key = state.pools.key(pool, start.process());
    if (!state.lease.mayStart(now)) {
      pool.refused(start.process(), "its host has no lease yet", now);
      return;
    }
    Allocation given = new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0);
    Optional<Demand> demand = demand(pool.settings());
    if (demand.isPresent()) {
      switch (state.desk.choose(state.books, key.toString(), demand.get(), now)) {
        case Decision.Refused refused -> {
          pool.refused(start.process(), refused.sentence(), now);
          return;
        }
        case Decision.Granted granted -> {
          state.books = granted.books();
          given = granted.allocation();
        }
      }
    }
    state.pools.add(key, new Worker(pool, start.process(), given));
    pool.granted(start.process(), now);
    long seed = state.pools.seed(pool, start.process());
    turn.effect(
        new Effect.StartWorker(WorkerPlace.of(key, pool.settings(), start.slot(), seed), given));
  }

  private static Optional<Demand> demand(PoolSettings settings) {
    if (settings.gpus() > 0) {
      return Optional.of(
          new Demand.Gpu(
              settings.gpus(),
              settings.gpuMemory(),
              settings.gpuMemory().isPresent(),
              Optional.empty(),
              false));
    }
    return settings.cpuSlots() > 0
        ? Optional.of(Demand.cpus(settings.cpuSlots()))
        : Optional.empty();
  }

  private void give(Pool pool, PoolEffect.Give give) {
    AttemptKey key = key(give.task());
    AttemptKey worker = state.pools.key(pool, give.process());
    RunProcess at = state.pools.worker(worker).flatMap(one -> one.process).orElseThrow();
    RunProcess begun =
        new RunProcess(at.pid(), at.startTicks(), at.bootId(), turn.now.wallMs(), now);
    // What is not in the journal as begun is not given to a worker: the next agent knows by that.
    turn.journal(new JournalEntry.Started(key.job(), key.attempt(), begun));
    LiveAttempt running = state.live.get(key);
    turn.effect(new Effect.TellWorker(worker, line(give.n(), running.place())));
    turn.send(running.last(), running);
  }

  private static ObjectNode line(long n, Place place) {
    ObjectNode line = NODES.objectNode();
    line.put("v", Answer.VERSION).put("n", n).put("do", "job");
    line.put("job", place.job()).put("attempt", place.attempt()).put("request", place.request());
    line.set("params", place.params() == null ? NODES.objectNode() : place.params());
    if (place.dependencies() != null && !place.dependencies().isEmpty()) {
      line.set("dependencies", Json.tree(place.dependencies()));
    }
    return line;
  }

  private void left(PoolEffect.Left left) {
    AttemptKey key = key(left.task());
    LiveAttempt attempt = state.live.get(key);
    if (attempt != null) {
      turn.end(
          attempt,
          attempt.phase() instanceof Phase.Ending ending ? killed(ending) : ending(left.end()));
    }
    turn.effect(new Effect.AwaitDelivery(key));
  }

  private static Ending ending(TaskEnd end) {
    return switch (end) {
      case TaskEnd.Answered(Answer.Done done) ->
          new Ending(Outcome.SUCCEEDED, null, null, null, done.result().orElse(null));
      case TaskEnd.Answered(Answer.OutOfMemory oom) ->
          Ending.failed(FailureCategory.GPU_OOM, oom.message(), null);
      case TaskEnd.Answered(Answer.Failed failed) ->
          Ending.failed(FailureCategory.APP, failed.message(), null);
      case TaskEnd.Answered(Answer.Progress progress) ->
          throw new IllegalStateException("progress is no end");
      case TaskEnd.Crashed(String how) ->
          Ending.failed(FailureCategory.APP, "its worker ended while it ran: " + how, null);
      case TaskEnd.DeviceFailed(String why) ->
          Ending.failed(FailureCategory.DEVICE_FAULT, why, null);
      case TaskEnd.Lost(String why) -> Ending.of(Outcome.LOST, why);
      case TaskEnd.Removed removed -> Ending.of(Outcome.CANCELLED, "it was taken out of its pool");
      case TaskEnd.Reset reset -> Ending.of(Outcome.POOL_RESET, "its pool was reset");
      case TaskEnd.Returned(String why) -> Ending.of(Outcome.RETURNED, why);
    };
  }

  private static AttemptKey key(Task task) {
    return new AttemptKey(task.job(), task.attempt());
  }
}
