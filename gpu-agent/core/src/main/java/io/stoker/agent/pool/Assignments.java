package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Phase;
import io.stoker.agent.pool.Slot.Queued;
import java.util.List;
import java.util.Optional;

/** Keeps which tasks wait for a worker, which each was told to do, and how they leave the pool. */
final class Assignments {
  /** What is told to a worker ahead is begun within about so many ms. */
  private static final long AHEAD_MS = 20;

  private final PoolContext context;
  private final PoolSettings settings;
  private final PoolLifecycle lifecycle;
  private final Slots slots;
  private final TaskCounts counts;
  private final WorkerProcesses processes;
  private long commands;

  Assignments(
      PoolContext context,
      PoolLifecycle lifecycle,
      Slots slots,
      TaskCounts counts,
      WorkerProcesses processes) {
    this.context = context;
    this.settings = context.settings();
    this.lifecycle = lifecycle;
    this.slots = slots;
    this.counts = counts;
    this.processes = processes;
  }

  /** Has a task wait for a worker; false if there is no room. */
  boolean offer(Task task, long now) {
    Optional<Slot> slot = slots.choose();
    slot.ifPresent(
        next -> {
          slots.took(next);
          slots.wake();
          next.queue.add(new Queued(task, now));
          counts.queued++;
        });
    return slot.isPresent();
  }

  /** Gives tasks to those that have none. */
  void give(long now) {
    for (Slot slot : slots) {
      if (slot.phase() == Phase.IDLE) {
        give(slot, now);
      }
    }
    for (Slot slot : slots) {
      if (slot.phase() == Phase.BUSY && slot.mostAhead > 0 && !settings.single()) {
        giveAhead(slot, now);
      }
    }
  }

  private void give(Slot slot, long now) {
    if (settings.single() && slot.used) {
      processes.stop(slot, now);
      return;
    }
    if (!hasOutput()) {
      return;
    }
    Queued queued = slots.take(slot);
    if (queued != null) {
      slot.running = Optional.of(assign(slot, queued, false, now));
      slot.used = true;
      slot.enter(Phase.BUSY, now);
    }
  }

  /**
   * Short tasks are told before their turn, so that the worker need not wait for what is decided of
   * each. What it was told waits for nobody else: so no more than it does within a moment.
   */
  private void giveAhead(Slot slot, long now) {
    int most = Math.min(slot.mostAhead, counts.within(AHEAD_MS));
    while (slot.ahead.size() < most
        && now - slot.since < AHEAD_MS
        && !slot.queue.isEmpty()
        && hasOutput()) {
      slot.ahead.add(assign(slot, slot.queue.poll(), true, now));
    }
  }

  private boolean hasOutput() {
    return slots.told() + counts.undelivered() < settings.output();
  }

  private Assignment assign(Slot slot, Queued queued, boolean ahead, long now) {
    counts.began(now - queued.at());
    Assignment told = new Assignment(queued, ++commands);
    context.effect(new PoolEffect.Give(slot.process, told.n, told.task(), ahead));
    return told;
  }

  /** The task that a worker runs under this number; empty if it runs none, or another. */
  Optional<Task> running(int process, long n) {
    return slots
        .of(process)
        .filter(slot -> slot.phase() == Phase.BUSY)
        .flatMap(slot -> slot.running)
        .filter(told -> told.n == n)
        .map(Assignment::task);
  }

  /** A worker has answered; what it says of anything but what it was told to do is left out. */
  void answered(int process, long n, Answer answer, long now) {
    Optional<Slot> slot = slots.of(process);
    Optional<Assignment> told = slot.flatMap(one -> one.assigned(n));
    if (told.isPresent()) {
      switch (answer) {
        case Answer.Progress progress -> {}
        case Answer.Begun begun -> begun(slot.get(), told.get(), now);
        case Answer.Withdrawn withdrawn when told.get().neverBegan() ->
            over(slot.get(), told.get(), new TaskEnd.Withdrawn(), now);
        case Answer.Withdrawn unasked -> {}
        case Answer.Unclear unclear -> unclear(slot.get(), unclear, now);
        default -> over(slot.get(), told.get(), new TaskEnd.Answered(answer), now);
      }
    }
  }

  /** What is to be taken out, and has begun all the same, leaves when its worker is gone. */
  private void begun(Slot slot, Assignment told, long now) {
    told.begun = true;
    if (slot.running.filter(front -> front == told).isPresent()) {
      told.removed.ifPresent(end -> processes.kill(slot, end, now));
    }
  }

  /** It fails, once its worker is gone: until then it may run, and nobody else may run it. */
  private void unclear(Slot slot, Answer.Unclear said, long now) {
    if (slot.phase() == Phase.BUSY) {
      TaskEnd failed = new TaskEnd.Answered(new Answer.Failed(said.why()));
      processes.kill(slot, failed, now);
    }
  }

  private void over(Slot slot, Assignment told, TaskEnd said, long now) {
    // Its attempt ends as was asked for, whatever its worker made of it before it heard of that.
    TaskEnd end = said instanceof TaskEnd.Answered ? told.removed.orElse(said) : said;
    if (slot.ahead.remove(told)) {
      left(told.queued, end, now);
    } else if (slot.phase() == Phase.BUSY) {
      if (said instanceof TaskEnd.Answered) {
        counts.ran(now - slot.since);
      }
      next(slot, now);
      left(told.queued, end, now);
    }
  }

  /** It goes on with what it was told ahead, if it was. */
  private void next(Slot slot, long now) {
    slot.running = Optional.ofNullable(slot.ahead.poll());
    slot.enter(slot.running.isPresent() ? Phase.BUSY : Phase.IDLE, now);
    slot.running
        .filter(told -> !told.neverBegan()) // such a one is about to say so
        .ifPresent(
            told -> {
              context.effect(new PoolEffect.Begun(told.task()));
              told.removed.ifPresent(end -> processes.kill(slot, end, now));
            });
  }

  /**
   * Takes a task out; one that runs leaves when its worker is gone, one that was told ahead when
   * its worker says that it does not begin it.
   */
  void remove(Task task, boolean failed, long now) {
    TaskEnd end = new TaskEnd.Removed(failed);
    for (Slot slot : slots) {
      Optional<Queued> waiting = slot.remove(task);
      if (waiting.isPresent()) {
        left(waiting.get(), end, now);
      } else if (slot.running.map(told -> told.task().equals(task)).orElse(false)) {
        processes.kill(slot, end, now);
        slot.doom = Optional.of(end);
      } else {
        slot.ahead.stream()
            .filter(told -> told.task().equals(task))
            .forEach(told -> withdraw(slot, told, end));
      }
    }
  }

  private void withdraw(Slot slot, Assignment told, TaskEnd end) {
    told.removed = Optional.of(end);
    if (slot.phase() == Phase.BUSY) {
      context.effect(new PoolEffect.Withdraw(slot.process, told.n));
    }
  }

  /** What becomes of the tasks of a worker whose process is gone. */
  void workerGone(Slot slot, String how, long now) {
    TaskEnd end = slot.doom.orElseGet(() -> new TaskEnd.Crashed(how));
    slot.running.ifPresent(told -> left(told.queued, endOfFront(slot, told, end), now));
    TaskEnd ofAhead = slot.reset ? new TaskEnd.Reset() : end;
    List.copyOf(slot.ahead).reversed().forEach(told -> aheadOf(slot, told, ofAhead, now));
  }

  /**
   * The end of the task whose turn it was: that of its worker, unless the worker says what it
   * begins and has not said so of this one, which may have been written to a worker that was dead.
   * Such a task is lost. It is not given to the next worker, since it may be what no worker can
   * read: attempts that are lost have a limit.
   */
  private static TaskEnd endOfFront(Slot slot, Assignment told, TaskEnd end) {
    if (told.neverBegan()) {
      return new TaskEnd.Withdrawn();
    }
    return end instanceof TaskEnd.Crashed(String how) && slot.mostAhead > 0 && !told.begun
        ? new TaskEnd.Lost("its worker ended before it began it: " + how)
        : end;
  }

  /**
   * What it was told ahead waits again, before all that waits for it, unless it was begun: that
   * ends with its worker, for which it is not to blame.
   */
  private void aheadOf(Slot slot, Assignment told, TaskEnd end, long now) {
    boolean closes = lifecycle.closing().filter(how -> how != Closing.DRAIN).isPresent();
    if (told.neverBegan()) {
      left(told.queued, new TaskEnd.Withdrawn(), now);
    } else if (end instanceof TaskEnd.Reset || end instanceof TaskEnd.Returned) {
      left(told.queued, end, now);
    } else if (told.begun) {
      left(told.queued, endOfBegun(told), now);
    } else if (closes) {
      left(told.queued, context.returned("was closed"), now);
    } else {
      slot.queue.addFirst(told.queued);
      context.effect(new PoolEffect.Back(told.task()));
    }
  }

  /** Of one that was cancelled, too late to keep it from beginning, that is the end it gets. */
  private static TaskEnd endOfBegun(Assignment told) {
    return told.removed.orElseGet(
        () -> new TaskEnd.Lost("its worker ended for the sake of the job before it"));
  }

  /** Brings what waits for a worker that does not come back to others, as far as they have room. */
  void handOver(Slot from, long now) {
    for (Queued queued : drained(from)) {
      slots
          .withRoom()
          .ifPresentOrElse(
              other -> other.queue.add(queued),
              () -> left(queued, context.returned("has lost its worker for good"), now));
    }
  }

  /** All that wait leave. */
  void clear(TaskEnd end, long now) {
    slots.forEach(slot -> drained(slot).forEach(queued -> left(queued, end, now)));
  }

  private static List<Queued> drained(Slot slot) {
    List<Queued> all = List.copyOf(slot.queue);
    slot.queue.clear();
    return all;
  }

  /** A task that a worker of an earlier agent had begun is over. */
  void lost(Task task, TaskEnd end, long now) {
    left(new Queued(task, now), end, now);
  }

  private void left(Queued queued, TaskEnd end, long now) {
    counts.left(queued.task(), end, now);
    context.effect(new PoolEffect.Left(queued.task(), end));
  }
}
