package io.stoker.dispatcher.service.postgres;

/** How jobs are locked that answer equal requests. */
public enum JobLock {
  /** They must not change now; others may hold them, too. */
  SHARED("for share"),
  /** They are to be changed. */
  CHANGES("for update");

  private final String clause;

  JobLock(String clause) {
    this.clause = clause;
  }

  String clause() {
    return clause;
  }
}
