package io.stoker.dispatcher.model;

/**
 * Something that happens to a request when nothing else has happened before.
 *
 * @param dueAt ms since 1970
 */
public record TimerRow(Kind kind, String request, long dueAt) {
  /** What runs out. */
  public enum Kind {
    DEPENDENCY_TIMEOUT,
    QUEUE_TIMEOUT,
    /** Of one of several requests that share a run, where it wants to wait less for its end. */
    RUN_TIMEOUT
  }

  /** What identifies a timer. */
  public record Key(Kind kind, String request) {}

  public Key key() {
    return new Key(kind, request);
  }
}
