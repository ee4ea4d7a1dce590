package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Phase;
import java.util.stream.LongStream;

/** Has as many workers as tasks need, within the bounds of the pool. */
final class Autoscaler {
  private final PoolSettings settings;
  private final PoolLifecycle lifecycle;
  private final Slots slots;
  private final TaskCounts counts;
  private final WorkerProcesses processes;

  Autoscaler(
      PoolContext context,
      PoolLifecycle lifecycle,
      Slots slots,
      TaskCounts counts,
      WorkerProcesses processes) {
    this.settings = context.settings();
    this.lifecycle = lifecycle;
    this.slots = slots;
    this.counts = counts;
    this.processes = processes;
  }

  /** Ends workers that are not needed, and asks for those that are. */
  void scale(long now) {
    boolean nothing = slots.waiting() == 0;
    boolean over = !lifecycle.runs() || (lifecycle.closing().isPresent() && nothing);
    for (Slot slot : slots) {
      if (slot.phase() == Phase.IDLE && (over || (nothing && surplus(slot, now)))) {
        processes.stop(slot, now);
      }
    }
    while (wanted() && processes.start(now)) {
      // One more is under way.
    }
  }

  /** Whether a worker has been idle for too long. */
  private boolean surplus(Slot slot, long now) {
    return slots.up() > settings.min() && now - slot.since >= settings.idle();
  }

  /** Whether there should be one more: for those that wait, or to have as many as always. */
  private boolean wanted() {
    if (!lifecycle.runs()) {
      return false;
    }
    int starting = slots.starting();
    if (slots.waiting() > starting && counts.undelivered() < settings.output()) {
      return true;
    }
    int yielded = slots.count(slot -> slot.yielded && slot.phase() != Phase.IDLE);
    return lifecycle.closing().isEmpty() && slots.up() + starting + yielded < settings.min();
  }

  /** When one has been idle for too long, or may be asked for again. */
  LongStream nextTick() {
    boolean wanted = wanted();
    boolean shrinks = lifecycle.takes() && slots.waiting() == 0 && slots.up() > settings.min();
    return slots.stream()
        .flatMapToLong(
            slot ->
                switch (slot.phase()) {
                  case IDLE ->
                      shrinks ? LongStream.of(slot.since + settings.idle()) : LongStream.empty();
                  case EMPTY ->
                      wanted && !slot.retired && slot.notBefore > 0
                          ? LongStream.of(slot.notBefore)
                          : LongStream.empty();
                  default -> LongStream.empty();
                });
  }
}
