package io.stoker.dispatcher.store;

import io.vertx.pgclient.PgException;
import java.sql.SQLException;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Tells errors that pass from those that stay. Only a data error (SQLSTATE class 22 or 23), a
 * statement that cannot be run (42) or a defect of ours is of the input's own making; a connection
 * that broke, a server that restarts or is full, a deadlock, a time-out: all of these pass.
 */
public final class DatabaseErrors {
  private DatabaseErrors() {}

  /** Whether the same transaction may succeed when it is tried again, however often that takes. */
  public static boolean passes(Throwable error) {
    Optional<String> state = sqlState(error);
    if (state.isPresent()) {
      return Stream.of("22", "23", "42").noneMatch(state.get()::startsWith);
    }
    return find(error, IllegalStateException.class).isEmpty()
            && find(error, IllegalArgumentException.class).isEmpty()
            && find(error, NullPointerException.class).isEmpty()
            && find(error, ClassCastException.class).isEmpty()
        || String.valueOf(error.getMessage()).contains("closed");
  }

  /**
   * Whether a constraint was violated: by this input, or by another transaction that committed
   * meanwhile, whose rows are there when this one is tried again.
   */
  public static boolean violatesConstraint(Throwable error) {
    return sqlState(error).filter(state -> state.startsWith("23")).isPresent();
  }

  /** As the driver says it, or Hibernate Reactive, which puts an exception of JDBC in its place. */
  private static Optional<String> sqlState(Throwable error) {
    return find(error, PgException.class)
        .map(PgException::getSqlState)
        .or(() -> find(error, SQLException.class).map(SQLException::getSQLState));
  }

  /** One line that names what went wrong at the bottom of it. */
  public static String sentence(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause.getClass().getSimpleName() + ": " + cause.getMessage();
  }

  /** Why a record is put aside that the database does not take. */
  public static String refusal(Throwable error) {
    return "the database refuses it: " + sentence(error);
  }

  private static <E extends Throwable> Optional<E> find(Throwable error, Class<E> type) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return Optional.of(type.cast(cause));
      }
      if (cause.getCause() == cause) {
        break;
      }
    }
    return Optional.empty();
  }
}
