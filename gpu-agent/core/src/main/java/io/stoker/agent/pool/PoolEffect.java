package io.stoker.agent.pool;

import java.util.Optional;

/**
 * An effect of a pool's decision; effects are carried out in order. Processes have numbers that are
 * never used again.
 */
public sealed interface PoolEffect {

  /**
   * Give a worker its devices and start its process; {@link Pool#granted} or {@link Pool#refused}
   * answers.
   *
   * @param slot which of the pool's workers it is, from 0
   */
  record Start(int slot, int process) implements PoolEffect {}

  /**
   * Give a worker a task.
   *
   * @param n by which it answers
   * @param ahead whether it has another one to do first: {@link Begun} tells when it has not
   */
  record Give(int process, long n, Task task, boolean ahead) implements PoolEffect {}

  /** A task that was given ahead is the next that its worker does. */
  record Begun(Task task) implements PoolEffect {}

  /** Tell a worker not to begin what it was given under this number. */
  record Withdraw(int process, long n) implements PoolEffect {}

  /** A task that was given ahead has not begun, and waits again: its worker is gone. */
  record Back(Task task) implements PoolEffect {}

  /** Tell a worker to end. */
  record Stop(int process) implements PoolEffect {}

  /** End a worker's process whatever it does. */
  record Kill(int process) implements PoolEffect {}

  /** A task has left the pool. */
  record Left(Task task, TaskEnd end) implements PoolEffect {}

  /** The pool holds more, or fewer, than before. */
  record CapacityChanged() implements PoolEffect {}

  /** The next agent must know of it; what has left is known without. */
  record Remember(int session, Optional<Closing> closing, long crashes) implements PoolEffect {}

  /** Tell people. */
  record Note(String sentence) implements PoolEffect {}
}
