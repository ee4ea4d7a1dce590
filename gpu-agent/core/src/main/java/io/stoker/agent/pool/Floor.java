package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Held;
import io.stoker.agent.pool.Slot.Phase;
import java.util.Optional;

/** Where workers work: which task each has at hand, and how that leaves it. */
final class Floor {
  private final Slots slots;
  private final Tasks tasks;
  private final Crew crew;

  Floor(Works works) {
    slots = works.slots();
    tasks = works.tasks();
    crew = works.crew();
  }

  /** The task that a worker runs under this number; empty if it runs none, or another. */
  Optional<Task> running(int process, long n) {
    return atWork(process, n).flatMap(slot -> slot.running).map(Held::task);
  }

  private Optional<Slot> atWork(int process, long n) {
    return slots.of(process).filter(slot -> slot.phase == Phase.BUSY && slot.n == n);
  }

  /** A worker has answered; what it says of anything but the task that it runs is left out. */
  void answered(int process, long n, Answer answer, long now) {
    Optional<Slot> busy = atWork(process, n);
    if (busy.isEmpty() || answer instanceof Answer.Progress) {
      return;
    }
    Slot slot = busy.get();
    Held held = slot.running.orElseThrow();
    slot.running = Optional.empty();
    tasks.counts.ran(now - slot.since);
    slot.enter(Phase.IDLE, now);
    tasks.left(held, new TaskEnd.Answered(answer), now);
  }

  /** Takes a task out; one that runs leaves when its worker is gone. */
  void remove(Task task, boolean failed, long now) {
    TaskEnd end = new TaskEnd.Removed(failed);
    for (Slot slot : slots) {
      Optional<Held> queued = slot.remove(task);
      if (queued.isPresent()) {
        tasks.left(queued.get(), end, now);
      } else if (slot.running.map(held -> held.task().equals(task)).orElse(false)) {
        crew.kill(slot, end, now);
        slot.doom = Optional.of(end);
      }
    }
  }
}
