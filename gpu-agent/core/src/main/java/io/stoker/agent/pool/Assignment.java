package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Queued;
import java.util.Optional;

/** A task that a worker was told to do. */
final class Assignment {
  final Queued queued;

  /** By which the worker answers. */
  final long n;

  /** Whether the worker has said that it has begun it: nobody else may run it then. */
  boolean begun;

  /** As what it leaves, once the worker was told not to begin it. */
  Optional<TaskEnd> removed = Optional.empty();

  Assignment(Queued queued, long n) {
    this.queued = queued;
    this.n = n;
  }

  Task task() {
    return queued.task();
  }

  /** Whether it is certain, should its worker be gone, that it has not begun. */
  boolean neverBegan() {
    return removed.isPresent() && !begun;
  }
}
