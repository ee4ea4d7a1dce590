package io.stoker.agent.attempt;

/** What an agent cannot run jobs without. */
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
