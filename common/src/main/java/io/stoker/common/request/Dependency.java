package io.stoker.common.request;

import io.stoker.common.state.RequestState;
import java.util.Locale;

/**
 * A dependency of a request: another one that it waits for, and how that has to end.
 *
 * @param id of the other request
 * @param condition how it is to end
 */
public record Dependency(String id, Condition condition) {
  /** How a request is to end for those that wait for it. */
  public enum Condition {
    /** It has succeeded. */
    SUCCEEDED,
    /** It has ended, in whatever way; one that was refused has ended, too. */
    ENDED,
    /** It has failed; one that was cancelled or refused has not. */
    FAILED;

    /** As requests spell it. */
    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether this end is one that is waited for. An end is final: if it is not, none comes that
     * is.
     *
     * @param end a terminal state
     */
    public boolean metBy(RequestState end) {
      return switch (this) {
        case SUCCEEDED -> end == RequestState.SUCCEEDED;
        case ENDED -> true;
        case FAILED -> end == RequestState.FAILED;
      };
    }
  }

  /** What a plain id says: the other one is to succeed. */
  public static Dependency on(String id) {
    return new Dependency(id, Condition.SUCCEEDED);
  }

  /** Whether it waits for anything but a success. */
  public boolean conditional() {
    return condition != Condition.SUCCEEDED;
  }
}
