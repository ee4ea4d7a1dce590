package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Decides for one pool of warm workers; it does nothing itself. Each call takes the state forward;
 * what is to be done of it is collected by {@link #effects}. Times are of one clock, in ms.
 *
 * <p>Every task that was taken leaves exactly once, by a {@link PoolEffect.Left}. One that had
 * begun leaves no earlier than its worker has answered or is gone.
 */
public final class Pool {
  private final PoolSettings settings;
  private final PoolContext context;
  private final Slots slots;
  private final TaskCounts counts;
  private final PoolLifecycle lifecycle;
  private final StartBackoff backoff;
  private final WorkerProcesses processes;
  private final Assignments assignments;
  private final Autoscaler autoscaler;
  private List<PoolEffect> effects = new ArrayList<>();
  private int capacity;

  /**
   * @param memory of the agents before this
   * @param begun tasks that workers of theirs had begun: each is {@link #lost} yet
   */
  public Pool(PoolSettings settings, PoolMemory memory, int begun) {
    this.settings = settings;
    context = new PoolContext(settings, effect -> effects.add(effect));
    slots = new Slots(settings);
    counts = new TaskCounts(memory, begun);
    lifecycle = new PoolLifecycle(context, counts, memory);
    backoff = new StartBackoff(settings.start());
    processes = new WorkerProcesses(context, lifecycle, slots, counts, backoff);
    assignments = new Assignments(context, lifecycle, slots, counts, processes);
    autoscaler = new Autoscaler(context, lifecycle, slots, counts, processes);
    capacity = capacity();
  }

  public PoolSettings settings() {
    return settings;
  }

  /** What is to be done since it was asked last. */
  public List<PoolEffect> effects() {
    if (capacity() != capacity) {
      capacity = capacity();
      effects.add(new PoolEffect.CapacityChanged());
    }
    List<PoolEffect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }

  private int capacity() {
    return lifecycle.takes() ? slots.capacity() : 0;
  }

  /** Why a task would not be taken now, if so. */
  public Optional<String> full() {
    if (!lifecycle.takes()) {
      String why = lifecycle.reason() == null ? "" : ": " + lifecycle.reason();
      return Optional.of("pool " + settings.name() + " is " + lifecycle.status() + why);
    }
    return slots.choose().isPresent()
        ? Optional.empty()
        : Optional.of("pool %s holds %d tasks already".formatted(settings.name(), capacity()));
  }

  /** Takes a task, unless it is {@link #full}; never blocks. */
  public boolean offer(Task task, long now) {
    boolean taken = lifecycle.takes() && assignments.offer(task, now);
    if (taken) {
      work(now);
    }
    return taken;
  }

  /** Counts a task that was accepted for it, and has ended before it could be offered. */
  public void neverOffered(boolean failed) {
    counts.passed(failed);
  }

  /**
   * A task that a worker of an earlier agent had begun is over: that worker is gone.
   *
   * @param end how it is over: lost, or removed before that
   */
  public void lost(Task task, TaskEnd end, long now) {
    assignments.lost(task, end, now);
    work(now);
  }

  /** A worker's devices were given and its process is being started. */
  public void granted(int process, long now) {
    processes.granted(process, now);
  }

  /** A worker cannot be had now, through no fault of its own. */
  public void refused(int process, String why, long now) {
    processes.refused(process, why, now);
    settle(now);
  }

  /**
   * A worker is ready for work.
   *
   * @param ahead tasks that it can be told besides the one that it runs; it says of each when it
   *     begins it
   */
  public void ready(int process, int ahead, long now) {
    processes.ready(process, ahead, now);
    work(now);
  }

  /** The task that a worker runs under this number; empty if it runs none, or another. */
  public Optional<Task> running(int process, long n) {
    return assignments.running(process, n);
  }

  /** Those that it was given and that have not left it. */
  public List<Task> tasks() {
    return slots.tasks().toList();
  }

  /** A worker has answered; what it says of anything that it was not told is left out. */
  public void answered(int process, long n, Answer answer, long now) {
    assignments.answered(process, n, answer, now);
    work(now);
  }

  /** A worker's process is gone, with all that it started. */
  public void gone(int process, String how, long now) {
    slots
        .of(process)
        .ifPresent(
            slot -> {
              assignments.workerGone(slot, how, now);
              processes.gone(slot, how, now);
              giveUp(slot, how, now);
            });
    work(now);
  }

  /**
   * One that does not come back leaves its tasks to others; the last one takes the pool with it.
   */
  private void giveUp(Slot slot, String how, long now) {
    boolean hopeless =
        backoff.hopeless() && slots.untried() == 0
            || slot.retired && slots.count(other -> !other.retired) == 0;
    if (hopeless && slots.up() == 0) {
      String why = "none of its workers can be had; the last one: " + how;
      lifecycle.fail(why);
      assignments.clear(context.returned("has failed: " + why), now);
    } else if (slot.retired) {
      assignments.handOver(slot, now);
    }
  }

  /**
   * Takes a task out; one that runs leaves when its worker is gone.
   *
   * @param failed whether it counts as failed
   */
  public void remove(Task task, boolean failed, long now) {
    assignments.remove(task, failed, now);
    settle(now);
  }

  /** The ends of tasks are on disk, and told. */
  public void delivered(List<Task> all, long now) {
    counts.delivered(all, now);
    work(now);
  }

  /** Begins a session: nothing of what the pool has goes on, and it serves. */
  public void reset(long now) {
    lifecycle.reset();
    renew();
    processes.reset(now);
    assignments.clear(new TaskEnd.Reset(), now);
    if (lifecycle.status() == PoolStatus.FAILED) {
      lifecycle.serve(slots.staffed());
      context.note("open");
    }
    work(now);
  }

  /** All workers are tried again. */
  private void renew() {
    backoff.renew();
    slots.renew();
  }

  /** Closes it because it was told to, or closes it harder; softer than before changes nothing. */
  public void close(Closing how, long now) {
    lifecycle.told(how);
    shut(how, now);
    work(now);
  }

  /** Closes it with the agent: what runs is given the time-out to end. The next one serves. */
  public void shutdown(long now) {
    shut(Closing.DISCARD, now);
    lifecycle.abortAt(now + settings.close());
    work(now);
  }

  private void shut(Closing how, long now) {
    if (lifecycle.close(how)) {
      TaskEnd closed = context.returned("was closed");
      if (how != Closing.DRAIN) {
        assignments.clear(closed, now);
      }
      if (how == Closing.ABORT) {
        processes.killBusy(closed, now);
      }
    }
  }

  /** Opens it again; one that serves is left as it is. */
  public void open(long now) {
    if (!lifecycle.takes()) {
      renew();
      slots.wake();
      lifecycle.open(slots.staffed());
      context.note("open");
    }
    work(now);
  }

  /** Gives up what workers hold that have nothing to do, until there is work. */
  public void yield(long now) {
    processes.yield(now);
  }

  /**
   * Ends a worker that cannot be trusted to end by itself; it is replaced.
   *
   * @param end of the task that it runs, if it runs one
   */
  public void kill(int process, TaskEnd end, long now) {
    slots.of(process).ifPresent(slot -> processes.kill(slot, end, now));
  }

  /** No process may be left: whatever still runs is taken out by its own {@link #remove}. */
  public void lapse(long now) {
    processes.killAll(context.returned("has lost its host's lease"), now);
  }

  /** Time has passed. */
  public void tick(long now) {
    if (lifecycle.takeAbort(now)) {
      shut(Closing.ABORT, now);
    }
    processes.late(now);
    if (backoff.takeDespair(slots.starting() > 0, now)) {
      assignments.clear(context.returned("can have no worker now"), now);
    }
    work(now);
  }

  /** When {@link #tick} is due; empty if nothing is. */
  public OptionalLong nextTick() {
    return lifecycle.status() == PoolStatus.CLOSED
        ? OptionalLong.empty()
        : Stream.of(
                lifecycle.nextTick(),
                backoff.nextTick(slots.starting() > 0),
                processes.nextTick(),
                autoscaler.nextTick())
            .flatMapToLong(due -> due)
            .min();
  }

  /** Everything that follows of a change: tasks to workers, workers for tasks, and an end. */
  private void work(long now) {
    assignments.give(now);
    settle(now);
  }

  private void settle(long now) {
    autoscaler.scale(now);
    if (lifecycle.status() == PoolStatus.CLOSING && slots.waiting() == 0 && slots.empty()) {
      lifecycle.closed();
      context.note("closed");
    }
  }

  /** Whether tasks wait, and no worker is there for them. */
  public boolean waitsForAWorker() {
    return slots.up() == 0 && slots.waiting() > 0;
  }

  /** Whether it holds devices for workers that have nothing to do. */
  public boolean warm() {
    return slots.count(slot -> slot.phase() == Phase.IDLE) > 0;
  }

  /** Whether a worker is at work, or about to be. */
  public boolean busy(int process) {
    return slots.of(process).map(slot -> slot.phase() != Phase.IDLE).orElse(false);
  }

  /** Whether it was closed, and has ended all that it had. */
  public boolean closed() {
    return lifecycle.status() == PoolStatus.CLOSED;
  }

  /** Whether no process of it is left. */
  public boolean empty() {
    return slots.empty();
  }

  public PoolReport report() {
    return PoolReport.of(settings.name(), lifecycle, capacity(), slots, counts);
  }
}
