package io.stoker.dispatcher.model;

/**
 * A change that may concern many requests, worked through in chunks after the transaction that
 * caused it.
 *
 * @param subject a request's id, or a job's
 * @param after the last id that was worked through, empty at the start
 */
public record FanOutRow(Kind kind, String subject, String after) {
  /** Whom it concerns. */
  public enum Kind {
    /** Those that depend on the request {@code subject}. */
    DEPENDENTS,
    /** Those that share the job {@code subject}. */
    SHARERS
  }

  /** What identifies a fan-out. */
  public record Key(Kind kind, String subject) {}

  public Key key() {
    return new Key(kind, subject);
  }
}
