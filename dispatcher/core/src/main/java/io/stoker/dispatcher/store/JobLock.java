package io.stoker.dispatcher.store;

/** The kinds of lock on jobs that answer equal requests. */
public enum JobLock {
  /** They must not change now; others may hold them, too. */
  SHARED,
  /** They are to be changed. */
  CHANGES
}
