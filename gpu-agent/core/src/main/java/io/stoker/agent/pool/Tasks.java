package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Held;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What became of the tasks of a pool: each leaves once, and is delivered once. */
final class Tasks {
  final Counts counts;
  private final Map<Task, Long> undelivered = new HashMap<>();
  private final Consumer<PoolEffect> effects;

  Tasks(Counts counts, Consumer<PoolEffect> effects) {
    this.counts = counts;
    this.effects = effects;
  }

  void left(Held held, TaskEnd end, long now) {
    counts.left(end);
    undelivered.put(held.task(), now);
    effects.accept(new PoolEffect.Left(held.task(), end));
  }

  /** All that wait leave. */
  void clear(Slots slots, TaskEnd end, long now) {
    for (Slot slot : slots) {
      List<Held> all = List.copyOf(slot.queue);
      slot.queue.clear();
      all.forEach(held -> left(held, end, now));
    }
  }

  void delivered(List<Task> tasks, long now) {
    for (Task task : tasks) {
      Long since = undelivered.remove(task);
      if (since != null) {
        counts.delivered(now - since);
      }
    }
  }
}
