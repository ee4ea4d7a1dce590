package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.agent.attempt.Events.Ending;
import io.stoker.agent.attempt.WorkerPools.Worker;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Decision;
import io.stoker.agent.device.Demand;
import io.stoker.agent.policy.JobView;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.pool.Pool;
import io.stoker.agent.pool.PoolEffect;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.pool.Task;
import io.stoker.agent.pool.TaskEnd;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import io.stoker.common.message.Workload.Claim;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.message.Workload.Program;
import io.stoker.common.message.Workload.Share;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/** Carries what a {@link Pool} decides to attempts, devices and processes. */
final class PoolWork {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final DecisionContext context;
  private final AgentState state;
  private final long now;

  PoolWork(DecisionContext context) {
    this.context = context;
    this.state = context.state;
    this.now = context.now.bootMs();
  }

  /** One of them. */
  void carry(Pool pool, PoolEffect effect) {
    switch (effect) {
      case PoolEffect.Start start -> begin(pool, start);
      case PoolEffect.Give give -> give(pool, give);
      case PoolEffect.Begun begun -> begun(begun.task());
      case PoolEffect.Withdraw withdraw -> {
        ObjectNode line = NODES.objectNode().put("v", Answer.VERSION).put("n", withdraw.n());
        context.effect(
            new Effect.TellWorker(
                state.pools.key(pool, withdraw.process()), line.put("do", "withdraw")));
      }
      case PoolEffect.Back back ->
          state.live.computeIfPresent(
              AttemptKey.of(back.task()),
              (same, attempt) ->
                  attempt.phase() instanceof Phase.ToldAhead told
                      ? attempt.in(told.unbegun())
                      : attempt);
      case PoolEffect.Stop stop -> {
        ObjectNode line = NODES.objectNode().put("v", Answer.VERSION).put("do", "stop");
        context.effect(new Effect.TellWorker(state.pools.key(pool, stop.process()), line));
      }
      case PoolEffect.Kill kill ->
          context.effect(new Effect.Kill(state.pools.key(pool, kill.process()), 0));
      case PoolEffect.Left left -> left(left);
      case PoolEffect.CapacityChanged changed -> state.lease.inventoryChanged(now);
      case PoolEffect.Remember it -> remember(pool, it);
      case PoolEffect.Note note -> context.note("%s", note.sentence());
    }
  }

  private void begin(Pool pool, PoolEffect.Start start) {
    WorkerKey key = state.pools.key(pool, start.process());
    if (!state.lease.mayStart(now)) {
      pool.refused(start.process(), "its host has no lease yet", now);
      return;
    }
    Allocation given = new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0);
    Optional<Demand> demand = demand(pool.settings());
    if (demand.isPresent()) {
      switch (state.allocator.choose(
          state.ledger, key.toString(), demand.get(), job(pool.settings(), key), now)) {
        case Decision.Refused refused -> {
          pool.refused(start.process(), refused.sentence(), now);
          if (pool.waitsForAWorker()) {
            new PoolRules(context).pressure(pool);
          }
          return;
        }
        case Decision.Granted granted -> {
          state.ledger = granted.ledger();
          given = granted.allocation();
        }
      }
    }
    state.pools.add(key, new Worker(pool, start.process(), given));
    pool.granted(start.process(), now);
    long seed = state.pools.seed(pool, start.process());
    context.effect(
        new Effect.StartWorker(key, process(pool.settings(), start.slot(), seed), given));
  }

  private static Workload.Process process(PoolSettings settings, int slot, long seed) {
    Map<String, String> env = new TreeMap<>(settings.env());
    env.put("STOKER_WORKERS", Integer.toString(Answer.VERSION));
    env.put("STOKER_POOL", settings.name());
    env.put("STOKER_WORKER", Integer.toString(slot));
    env.put("STOKER_SEED", Long.toString(seed));
    return new Workload.Process(
        new Program(
            settings.command(),
            env,
            settings.workdir(),
            false,
            OptionalLong.empty(),
            Claim.ofSecrets(settings.secrets())),
        new Share(
            new Gpus(
                settings.gpus(),
                settings.gpuMemory(),
                settings.gpuMemory().isPresent(),
                Optional.empty()),
            settings.cpuSlots(),
            List.of()));
  }

  private static JobView job(PoolSettings settings, WorkerKey worker) {
    return new JobView(
        settings.name(),
        worker.stem(),
        0,
        settings.command(),
        settings.gpus(),
        settings.gpuMemory(),
        settings.gpuMemory().isPresent());
  }

  private static Optional<Demand> demand(PoolSettings settings) {
    if (settings.gpus() > 0) {
      return Optional.of(
          new Demand.Gpu(
              settings.gpus(),
              settings.gpuMemory(),
              settings.gpuMemory().isPresent(),
              Optional.empty(),
              false,
              Set.of()));
    }
    return settings.cpuSlots() > 0
        ? Optional.of(Demand.cpus(settings.cpuSlots()))
        : Optional.empty();
  }

  private void give(Pool pool, PoolEffect.Give give) {
    AttemptKey key = AttemptKey.of(give.task());
    WorkerKey worker = state.pools.key(pool, give.process());
    RunProcess at = state.pools.worker(worker).flatMap(one -> one.process).orElseThrow();
    RunProcess begun = begunNow(at);
    LiveAttempt before = state.live.get(key);
    // What is not in the journal as begun is not given to a worker: the next agent knows by that.
    context.journal(new JournalEntry.Started(key.job(), key.attempt(), begun));
    LiveAttempt running = state.live.get(key);
    context.effect(new Effect.TellWorker(worker, line(give.n(), running.place())));
    if (give.ahead() && running.phase() instanceof Phase.Running now) {
      LiveAttempt told = running.says(before.last()).counted(running.seq());
      state.live.put(key, told.in(now.ahead()));
    } else {
      context.send(running.last(), running);
    }
  }

  private RunProcess begunNow(RunProcess worker) {
    return new RunProcess(
        worker.pid(), worker.startTicks(), worker.bootId(), context.now.wallMs(), now);
  }

  /** It was journaled as begun when its worker was told of it. */
  private void begun(Task task) {
    LiveAttempt attempt = state.live.get(AttemptKey.of(task));
    if (attempt != null && attempt.phase() instanceof Phase.ToldAhead told) {
      RunProcess process = begunNow(told.worker());
      LiveAttempt running = attempt.in(told.started(process));
      running = running.says(Events.running(running, process));
      state.live.put(running.key(), running);
      context.send(running.last(), running);
    }
  }

  private static ObjectNode line(long n, Place place) {
    ObjectNode line = NODES.objectNode();
    line.put("v", Answer.VERSION).put("n", n).put("do", "job");
    line.put("job", place.job()).put("attempt", place.attempt()).put("request", place.request());
    line.set("params", place.params().isMissingNode() ? NODES.objectNode() : place.params());
    if (!place.given().dependencies().isEmpty()) {
      line.set("dependencies", Json.tree(place.given().dependencies()));
    }
    return line;
  }

  private void left(PoolEffect.Left left) {
    AttemptKey key = AttemptKey.of(left.task());
    LiveAttempt attempt = state.live.get(key);
    if (attempt != null && left.end() instanceof TaskEnd.Withdrawn) {
      attempt =
          attempt.phase() instanceof Phase.Ending ending ? attempt.in(ending.unbegun()) : attempt;
    }
    if (attempt != null) {
      context.end(
          attempt,
          attempt.phase() instanceof Phase.Ending ending ? killed(ending) : ending(left.end()));
    }
    context.effect(new Effect.AwaitDelivery(key));
  }

  private static Ending ending(TaskEnd end) {
    return switch (end) {
      case TaskEnd.Answered(Answer.Done done) ->
          new Ending(Outcome.SUCCEEDED, null, null, null, done.result().orElse(null));
      case TaskEnd.Answered(Answer.Unkept unkept) -> Ending.unkept(unkept.why(), null);
      case TaskEnd.Answered(Answer.OutOfMemory oom) ->
          Ending.failed(FailureCategory.GPU_OOM, oom.message(), null);
      case TaskEnd.Answered(Answer.Failed failed) ->
          Ending.failed(FailureCategory.APP, failed.message(), null);
      case TaskEnd.Answered(Answer other) -> throw new IllegalStateException(other + " is no end");
      case TaskEnd.Withdrawn withdrawn -> Ending.of(Outcome.RETURNED, "it was not begun");
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

  /** One that ends what it has says nothing of the one that has its name now. */
  private void remember(Pool pool, PoolEffect.Remember it) {
    if (state.pools.current(pool)) {
      context.journal(
          state.poolBook.entry(pool.settings().name(), it.session(), it.closing(), it.crashes()));
    }
  }

  /** What only waited never ran: it may be given to anybody at once. */
  static Ending killed(Phase.Ending ending) {
    return ending.process().isPresent()
        ? RunRules.killed(ending, RunEnd.unseen())
        : DecisionContext.endOfUnstarted(ending.reason(), ending.message());
  }
}
