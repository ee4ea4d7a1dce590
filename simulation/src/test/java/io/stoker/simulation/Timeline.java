package io.stoker.simulation;

import java.util.PriorityQueue;

/**
 * The virtual clock, and everything that is going to happen. One thing happens at a time; time
 * passes only between them.
 */
final class Timeline {
  private record Task(long at, long order, Life life, Runnable action) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long now;
  private long order;

  /** Ms since the simulation began. */
  long now() {
    return now;
  }

  /** Plans something in the life of a process. */
  void after(long delay, Life life, Runnable action) {
    tasks.add(new Task(now + Math.max(0, delay), order++, life, action));
  }

  /** Lets the next thing happen; false if there is nothing left. */
  boolean step() {
    for (Task next = tasks.poll(); next != null; next = tasks.poll()) {
      if (next.life().over()) {
        continue;
      }
      long awake = next.life().pausedUntil();
      if (awake > next.at()) {
        tasks.add(new Task(awake, next.order(), next.life(), next.action()));
        continue;
      }
      now = next.at();
      next.action().run();
      return true;
    }
    return false;
  }
}
