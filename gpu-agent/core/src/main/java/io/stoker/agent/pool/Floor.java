package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Held;
import io.stoker.agent.pool.Slot.Phase;
import java.util.Optional;
import java.util.function.Consumer;

/** Where workers work: which tasks each has at hand, and how they leave it. */
final class Floor {
  private final Slots slots;
  private final Tasks tasks;
  private final Crew crew;
  private final Consumer<PoolEffect> effects;

  Floor(Works works) {
    slots = works.slots();
    tasks = works.tasks();
    crew = works.crew();
    effects = works.effects();
  }

  /** The task that a worker runs under this number; empty if it runs none, or another. */
  Optional<Task> running(int process, long n) {
    return slots
        .of(process)
        .filter(slot -> slot.phase() == Phase.BUSY)
        .flatMap(slot -> slot.running)
        .filter(line -> line.n == n)
        .map(Line::task);
  }

  /** A worker has answered; what it says of anything but what it was told to do is left out. */
  void answered(int process, long n, Answer answer, long now) {
    Optional<Slot> slot = slots.of(process);
    Optional<Line> line = slot.flatMap(one -> one.line(n));
    if (line.isPresent()) {
      switch (answer) {
        case Answer.Progress progress -> {}
        case Answer.Begun begun -> begun(slot.get(), line.get(), now);
        case Answer.Withdrawn withdrawn when line.get().neverBegan() ->
            over(slot.get(), line.get(), new TaskEnd.Withdrawn(), now);
        case Answer.Withdrawn unasked -> {}
        default -> over(slot.get(), line.get(), new TaskEnd.Answered(answer), now);
      }
    }
  }

  /** What is to be taken out, and has begun all the same, leaves when its worker is gone. */
  private void begun(Slot slot, Line line, long now) {
    line.begun = true;
    if (line.withdrawn && slot.running.filter(front -> front == line).isPresent()) {
      crew.kill(slot, new TaskEnd.Removed(false), now);
    }
  }

  private void over(Slot slot, Line line, TaskEnd end, long now) {
    if (slot.ahead.remove(line)) {
      tasks.left(line.held, end, now);
    } else if (slot.phase() == Phase.BUSY) {
      if (end instanceof TaskEnd.Answered) {
        tasks.counts.ran(now - slot.since);
      }
      next(slot, now);
      tasks.left(line.held, end, now);
    }
  }

  /** It goes on with what it was told ahead, if it was. */
  private void next(Slot slot, long now) {
    slot.running = Optional.ofNullable(slot.ahead.poll());
    slot.enter(slot.running.isPresent() ? Phase.BUSY : Phase.IDLE, now);
    slot.running.ifPresent(
        line -> {
          if (line.neverBegan()) {
            return; // it is about to say so
          }
          effects.accept(new PoolEffect.Begun(line.task()));
          if (line.withdrawn) {
            crew.kill(slot, new TaskEnd.Removed(false), now);
          }
        });
  }

  /**
   * Takes a task out; one that runs leaves when its worker is gone, one that was told ahead when
   * its worker says that it does not begin it.
   */
  void remove(Task task, boolean failed, long now) {
    TaskEnd end = new TaskEnd.Removed(failed);
    for (Slot slot : slots) {
      Optional<Held> queued = slot.remove(task);
      if (queued.isPresent()) {
        tasks.left(queued.get(), end, now);
      } else if (slot.running.map(line -> line.task().equals(task)).orElse(false)) {
        crew.kill(slot, end, now);
        slot.doom = Optional.of(end);
      } else {
        slot.ahead.stream()
            .filter(line -> line.task().equals(task))
            .forEach(l -> withdraw(slot, l));
      }
    }
  }

  private void withdraw(Slot slot, Line line) {
    line.withdrawn = true;
    if (slot.phase() == Phase.BUSY) {
      effects.accept(new PoolEffect.Withdraw(slot.process, line.n));
    }
  }
}
