package io.stoker.dispatcher.store;

import io.vertx.pgclient.PgException;

/**
 * Tells errors that pass from those that stay. Only a data error (SQLSTATE class 22 or 23) or a
 * defect of ours is of the input's own making; a connection that broke, a server that restarts or
 * is full, a deadlock, a time-out: all of these pass.
 */
public final class DatabaseErrors {
  private DatabaseErrors() {}

  /** Whether the same transaction may succeed when it is tried again. */
  public static boolean passes(Throwable error) {
    PgException cause = find(error, PgException.class);
    if (cause != null) {
      String state = cause.getSqlState();
      return state == null
          || !(state.startsWith("22") || state.startsWith("23") || state.startsWith("42"));
    }
    return find(error, IllegalStateException.class) == null
            && find(error, IllegalArgumentException.class) == null
            && find(error, NullPointerException.class) == null
            && find(error, ClassCastException.class) == null
        || String.valueOf(error.getMessage()).contains("closed");
  }

  /** One line that names what went wrong at the bottom of it. */
  public static String sentence(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause.getClass().getSimpleName() + ": " + cause.getMessage();
  }

  private static <E extends Throwable> E find(Throwable error, Class<E> type) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return type.cast(cause);
      }
      if (cause.getCause() == cause) {
        break;
      }
    }
    return null;
  }
}
