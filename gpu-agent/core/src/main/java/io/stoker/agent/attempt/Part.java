package io.stoker.agent.attempt;

/** A part of an agent without which it cannot run jobs. */
public enum Part {
  /** Room where its data is. */
  DISK,
  /** Its memory: what cannot be journaled must not happen. */
  JOURNAL,
  /** Its memory of ends on the disk itself, which they must have reached before they are told. */
  REPORTS,
  /** The file by which the watchdog knows how long jobs may run. */
  DEADLINE,
  /** The process that ends jobs when the lease has run out. */
  WATCHDOG,
  /** The process that starts jobs. */
  SPAWNER
}
