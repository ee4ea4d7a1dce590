package io.stoker.dispatcher.runtime;

import java.time.DateTimeException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Classifies a failure by what it says of the input that failed: whether it passes or stays. What
 * is not known is an {@link #OUTAGE}, for to wait loses nothing.
 */
public enum Fault {
  /**
   * Says nothing about the input: it is tried again, however long that takes, and never counts
   * against it. A connection that broke or was refused (SQLSTATE class 08), a transaction that gave
   * way to another one (40: 40001, 40P01), a server that is full, slow, restarts or cannot write
   * (25, 53, 55, 57, 58, XX), a time-out, a broker that is away, and whatever else is not known.
   */
  OUTAGE,

  /**
   * The database may not be the one that the statements are for: no such table, column, schema or
   * database, no right, no such feature (SQLSTATE classes 42, 3D, 3F, 28, 0A). All inputs fail by
   * it alike where that is so.
   */
  NOT_READY,

  /**
   * Of the input's own making, so that it fails each time: a value that its column does not take
   * (SQLSTATE classes 21, 22, 23), a row or key that is too large (54), a record that is too large
   * or cannot be written for Kafka, a stored row that cannot be read, and defects of ours (an
   * illegal state or argument, a null, a wrong cast, index, element or date).
   */
  DATA;

  private static final Set<String> DATA_CLASSES = Set.of("21", "22", "23", "54");
  private static final Set<String> NOT_READY_CLASSES = Set.of("42", "3D", "3F", "28", "0A");

  private static final List<Class<? extends Throwable>> DEFECTS =
      List.of(
          IllegalStateException.class,
          IllegalArgumentException.class,
          NullPointerException.class,
          ClassCastException.class,
          IndexOutOfBoundsException.class,
          NoSuchElementException.class,
          ArithmeticException.class,
          DateTimeException.class);

  /**
   * What an error says of which no driver says more, by the first of its causes that is known.
   *
   * @param refusals a driver's own errors that are of the input's making
   */
  public static Fault ofOther(Throwable error, List<Class<? extends Throwable>> refusals) {
    boolean closed = String.valueOf(error.getMessage()).contains("closed");
    boolean data =
        Stream.of(DEFECTS, refusals)
            .flatMap(List::stream)
            .anyMatch(type -> cause(error, type).isPresent());
    return data && !closed ? DATA : OUTAGE;
  }

  /** What an error says that no driver has made. */
  public static Fault ofOther(Throwable error) {
    return ofOther(error, List.of());
  }

  /** What a database says with an SQLSTATE. */
  public static Fault ofSqlState(String state) {
    String ofClass = state.substring(0, Math.min(2, state.length()));
    if (DATA_CLASSES.contains(ofClass)) {
      return DATA;
    }
    return NOT_READY_CLASSES.contains(ofClass) ? NOT_READY : OUTAGE;
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

  /** The first of an error and its causes that is of a type. */
  public static <E extends Throwable> Optional<E> cause(Throwable error, Class<E> type) {
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
