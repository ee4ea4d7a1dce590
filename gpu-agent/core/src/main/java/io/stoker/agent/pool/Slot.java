package io.stoker.agent.pool;

import io.stoker.common.state.Successive;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.stream.Stream;

/** One worker's place: its queue outlives its process. */
final class Slot {

  /** Where its process stands. */
  enum Phase implements Successive<Phase> {
    /** It has none. */
    EMPTY,
    /** Devices and a process were asked for. */
    WANTED,
    /** It has not said yet that it is ready. */
    STARTING,
    IDLE,
    BUSY,
    /** It was told to end. */
    STOPPING,
    /** It is being killed. */
    KILLING;

    /** A process may be gone, or be killed, at any time. */
    @Override
    public boolean leadsTo(Phase next) {
      return switch (next) {
        case EMPTY -> this != EMPTY;
        case WANTED -> this == EMPTY;
        case STARTING -> this == WANTED;
        case IDLE -> this == STARTING || this == BUSY;
        case BUSY -> this == IDLE || this == BUSY;
        case STOPPING -> this == IDLE;
        case KILLING -> this != EMPTY && this != KILLING;
      };
    }
  }

  /**
   * A task that waits.
   *
   * @param at since when, ms of the same clock as all times
   */
  record Queued(Task task, long at) {}

  final int index;
  final Deque<Queued> queue = new ArrayDeque<>();
  private Phase phase = Phase.EMPTY;
  int process;

  /** When the phase began. */
  long since;

  /** What it runs, or ran when it began to be killed. */
  Optional<Assignment> running = Optional.empty();

  /** What its process was told to do after that, in order. */
  final Deque<Assignment> ahead = new ArrayDeque<>();

  /** How many of these its process takes. */
  int mostAhead;

  /** How the running task ends when its process is gone; empty = as a crash. */
  Optional<TaskEnd> doom = Optional.empty();

  /**
   * Whether the session of its tasks is over, while its process is being killed for another end.
   */
  boolean reset;

  /** Whether its process is being killed since it was not ready in time. */
  boolean late;

  /** Starts since it was last ready that came to nothing. */
  int failures;

  /** No process is asked for before this. */
  long notBefore;

  /** Whether its process has run a task. */
  boolean used;

  /** Whether it has gone for others' sake: nothing but work brings it back. */
  boolean yielded;

  /** Whether it is given up for good, until the pool is opened again. */
  boolean retired;

  Slot(int index) {
    this.index = index;
  }

  Phase phase() {
    return phase;
  }

  boolean up() {
    return phase == Phase.IDLE || phase == Phase.BUSY;
  }

  boolean starting() {
    return phase == Phase.WANTED || phase == Phase.STARTING;
  }

  int held() {
    return queue.size() + told();
  }

  /** Tasks that its process was told to do and has not done. */
  int told() {
    return ahead.size() + (running.isPresent() ? 1 : 0);
  }

  void enter(Phase next, long now) {
    phase = phase.to(next);
    since = now;
  }

  /** Its process is gone; what waits for it goes on waiting. */
  void vacate(long now) {
    enter(Phase.EMPTY, now);
    process = 0;
    running = Optional.empty();
    ahead.clear();
    mostAhead = 0;
    late = false;
    reset = false;
    doom = Optional.empty();
  }

  /** What its process was told, in order. */
  Stream<Assignment> assigned() {
    return Stream.concat(running.stream(), ahead.stream());
  }

  /** What its process was told under a number. */
  Optional<Assignment> assigned(long n) {
    return assigned().filter(told -> told.n == n).findFirst();
  }

  /** Whether it is its turn to say what became of a task that it was told not to begin. */
  boolean withdrawing() {
    return phase == Phase.BUSY && running.flatMap(told -> told.removed).isPresent();
  }

  Optional<Queued> remove(Task task) {
    Optional<Queued> found = queue.stream().filter(one -> one.task().equals(task)).findFirst();
    found.ifPresent(queue::remove);
    return found;
  }
}
