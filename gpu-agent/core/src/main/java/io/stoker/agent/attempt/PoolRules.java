package io.stoker.agent.attempt;

import io.stoker.agent.attempt.Events.Ending;
import io.stoker.agent.attempt.WorkerPools.Worker;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Condition;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.pool.Closing;
import io.stoker.agent.pool.Pool;
import io.stoker.agent.pool.PoolEffect;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.pool.Task;
import io.stoker.agent.pool.TaskEnd;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload.PoolTask;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Brings what happens to the {@link Pool} that it is about, and has {@link PoolWork} carry out what
 * that decides. An attempt on a pool holds nothing of the host: the worker does.
 */
final class PoolRules {
  private final DecisionContext context;
  private final AgentState state;
  private final long now;

  PoolRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
    this.now = context.now.bootMs();
  }

  /** Takes a placement. Returns why it was not taken. */
  Optional<String> take(Place place, PoolTask task) {
    Optional<Pool> pool = state.pools.find(task.pool());
    if (pool.isEmpty()) {
      return Optional.of("there is no pool " + task.pool() + " here");
    }
    Optional<String> full = pool.get().full();
    if (full.isPresent()) {
      return full;
    }
    AttemptKey key = AttemptKey.of(place);
    Allocation none = new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0);
    context.journal(JournalEntry.Accepted.of(place, none, context.now.wallMs(), state.boot));
    context.send(state.live.get(key).last(), state.live.get(key));
    Optional<String> refusal = refusal(pool.get(), task);
    if (refusal.isPresent()) {
      context.end(state.live.get(key), Ending.failed(FailureCategory.LAUNCH, refusal.get(), null));
    } else {
      context.start(state.live.get(key));
    }
    return Optional.empty();
  }

  /**
   * Of a pool that the host's own configuration has, that says who may use its workers' secrets.
   */
  private Optional<String> refusal(Pool pool, PoolTask task) {
    return state.pools.own(task.pool())
        ? Optional.empty()
        : context.rules.secrets().refusal(pool.settings(), task.queue());
  }

  /** Gives an attempt to its pool, if the lease allows it. */
  void start(LiveAttempt attempt, PoolTask on) {
    if (!(attempt.phase() instanceof Phase.Waiting waiting)
        || !state.lease.mayStart(now)
        || state.stopping) {
      return;
    }
    Optional<Pool> pool = state.pools.find(on.pool());
    if (pool.isEmpty() || !pool.get().offer(attempt.key().task(), now)) {
      String why = pool.flatMap(Pool::full).orElse("there is no such pool here");
      context.end(attempt, Ending.of(Outcome.RETURNED, why));
      return;
    }
    state.live.put(attempt.key(), attempt.in(waiting.launch()));
    carry(pool.get());
  }

  /** An attempt has ended that its pool was never offered. */
  void neverOffered(PoolTask on, Outcome outcome) {
    state.pools.find(on.pool()).ifPresent(pool -> pool.neverOffered(PoolBook.failed(outcome)));
  }

  /**
   * Ends an attempt that a worker of an earlier agent had begun; why it was killed counts first.
   */
  void lost(LiveAttempt attempt, PoolTask on) {
    Optional<Ending> killed = killed(attempt);
    Optional<Pool> pool = state.pools.find(on.pool());
    if (pool.isPresent()) {
      TaskEnd end =
          killed
              .<TaskEnd>map(why -> new TaskEnd.Removed(PoolBook.failed(why.outcome())))
              .orElse(new TaskEnd.Lost("its worker has gone with the agent before this"));
      on(pool.get(), one -> one.lost(attempt.key().task(), end, now));
    } else {
      Ending lost = Ending.of(Outcome.LOST, "its worker and its pool have gone");
      context.end(attempt, killed.orElse(lost));
    }
  }

  /** Ends an attempt that its pool has; its end comes when nothing of it runs. */
  void remove(LiveAttempt attempt, PoolTask on) {
    boolean failed = killed(attempt).filter(why -> PoolBook.failed(why.outcome())).isPresent();
    for (Pool pool : state.pools.allNamed(on.pool())) {
      on(pool, one -> one.remove(attempt.key().task(), failed, now));
    }
  }

  private static Optional<Ending> killed(LiveAttempt attempt) {
    return attempt.phase() instanceof Phase.Ending ending
        ? Optional.of(PoolWork.killed(ending))
        : Optional.empty();
  }

  /** A placement needs what idle workers hold. */
  void pressure() {
    pressure(pool -> pool.settings().gpus() > 0 || pool.settings().cpuSlots() > 0);
  }

  /** Jobs of a pool wait for what idle workers of others hold. */
  void pressure(Pool by) {
    PoolSettings wanted = by.settings();
    pressure(
        pool ->
            pool != by
                && (wanted.gpus() > 0 && pool.settings().gpus() > 0
                    || wanted.cpuSlots() > 0 && pool.settings().cpuSlots() > 0));
  }

  /** A staged job waits for a GPU, or for memory of one, that idle workers may hold. */
  void pressureOnGpus() {
    pressure(pool -> pool.settings().gpus() > 0);
  }

  private void pressure(Predicate<Pool> holds) {
    for (Pool pool : state.pools.all()) {
      if (pool.warm() && holds.test(pool)) {
        context.note("pool %s: idle workers give up what they hold", pool.settings().name());
        on(pool, one -> one.yield(now));
      }
    }
  }

  void told(ToAgent.Pool asked) {
    Optional<Pool> pool = state.pools.find(asked.pool());
    Optional<Closing> closing = Closing.of(asked.action());
    boolean known = closing.isPresent() || List.of("reset", "open").contains(asked.action());
    if (pool.isEmpty() || !known) {
      context.note("pool %s cannot be told to %s", asked.pool(), asked.action());
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
    for (Pool pool : state.pools.all()) {
      on(pool, one -> one.tick(now));
    }
  }

  void lapse() {
    for (Pool pool : state.pools.all()) {
      if (!pool.empty()) {
        on(pool, one -> one.lapse(now));
      }
    }
  }

  void shutdown() {
    for (Pool pool : state.pools.all()) {
      on(pool, one -> one.shutdown(now));
    }
  }

  /** Workers on devices that have failed. */
  void judged(Map<String, Condition> bad) {
    for (Worker worker : state.pools.workers()) {
      for (String id : worker.allocation.devices()) {
        Condition condition = bad.get(state.ledger.uuid(id));
        if (condition != null && !condition.serves()) {
          String why = "device %s has failed: %s".formatted(id, condition.reason());
          kill(worker, new TaskEnd.DeviceFailed(why));
        }
      }
    }
  }

  /** A worker has written more than it may: another one takes its place. */
  void outgrown(WorkerKey key, String why) {
    state.pools.worker(key).ifPresent(worker -> kill(worker, new TaskEnd.Lost(why)));
  }

  private void kill(Worker worker, TaskEnd end) {
    on(worker.pool, pool -> pool.kill(worker.number, end, now));
  }

  void started(WorkerKey key, RunProcess process) {
    Optional<Worker> known = state.pools.worker(key);
    if (known.isEmpty()) {
      return;
    }
    Worker worker = known.get();
    worker.process = Optional.of(process);
    state.allocator.processStarted(key.toString());
    state.findRoots();
    if (worker.ready) {
      on(worker.pool, pool -> pool.ready(worker.number, worker.ahead, now));
    }
  }

  /** It may speak before the spawner, by another way, has said that it exists. */
  void ready(WorkerKey key, int ahead) {
    Optional<Worker> known = state.pools.worker(key);
    if (known.isEmpty()) {
      return;
    }
    Worker worker = known.get();
    worker.ready = true;
    worker.ahead = ahead;
    if (worker.process.isPresent()) {
      on(worker.pool, pool -> pool.ready(worker.number, ahead, now));
    }
  }

  void answered(WorkerKey key, long n, Answer answer) {
    Optional<Worker> found = state.pools.worker(key);
    if (found.isEmpty()) {
      return;
    }
    Worker worker = found.get();
    if (answer instanceof Answer.Progress progress) {
      worker
          .pool
          .running(worker.number, n)
          .ifPresent(
              task -> new LineRules(context).progress(AttemptKey.of(task), progress.value(), 0));
    } else {
      on(worker.pool, pool -> pool.answered(worker.number, n, answer, now));
    }
  }

  void notStarted(WorkerKey key, Input.Cause cause, String reason) {
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

  void exited(WorkerKey key, RunEnd end) {
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
  private Optional<Worker> release(WorkerKey key) {
    Optional<Worker> gone = state.pools.remove(key);
    gone.ifPresent(
        worker -> {
          state.allocator.processEnded(key.toString());
          state.findRoots();
          context.effect(new Effect.RemoveRun(key));
          if (!worker.allocation.devices().isEmpty() && worker.process.isPresent()) {
            state.cleaning.put(key, worker.allocation);
            context.effect(new Effect.Clean(key, worker.allocation.devices()));
          } else if (holds(worker.allocation)) {
            state.ledger = state.ledger.release(key.toString());
            state.lease.inventoryChanged(now);
          }
        });
    return gone;
  }

  private static boolean holds(Allocation allocation) {
    return !allocation.devices().isEmpty() || allocation.cpuSlots() > 0;
  }

  void delivered(List<AttemptKey> keys) {
    List<Task> tasks = keys.stream().map(AttemptKey::task).toList();
    for (Pool pool : state.pools.all()) {
      on(pool, one -> one.delivered(tasks, now));
    }
  }

  /** Has a pool take a step, and does what follows. */
  void on(Pool pool, Consumer<Pool> step) {
    step.accept(pool);
    carry(pool);
    if (state.pools.dropClosed()) {
      state.lease.inventoryChanged(now);
    }
  }

  /** What is done may have further consequences at once. */
  private void carry(Pool pool) {
    PoolWork work = new PoolWork(context);
    for (List<PoolEffect> all = pool.effects(); !all.isEmpty(); all = pool.effects()) {
      all.forEach(effect -> work.carry(pool, effect));
    }
  }
}
