package io.stoker.dispatcher.store;

/** How jobs are locked that answer equal requests. */
public enum JobLock {
  /** They must not change now; others may hold them, too. */
  SHARED,
  /** They are to be changed. */
  CHANGES
}
