package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The port to the database: transactions, and reads without one. Its transactions are serializable
 * by the locks that they take: each statement says what it locks.
 */
public interface Store {
  /**
   * Runs a transaction until its outcome is known, however long the store is away. It may run
   * several times, and a commit whose reply was lost runs again: the work must find out what is
   * already done by what it reads.
   *
   * @param name under which its round trips are counted
   * @return fails only where the same input would always fail
   */
  <T> Uni<T> transaction(String name, Function<Transaction, Uni<T>> work);

  /**
   * As {@link #transaction}, for work that holds jobs together with others as long as it changes
   * none of them, which is seldom: then it is done again, with locks for changes.
   */
  <T> Uni<T> holdingJobs(String name, BiFunction<Transaction, JobLock, Uni<T>> work);

  /** Runs a transaction once: fails where its outcome is unknown. */
  <T> Uni<T> once(String name, Function<Transaction, Uni<T>> work);

  /** Reads outside of a transaction, once. */
  <T> Uni<T> readOnce(Function<Transaction, Uni<T>> work);

  /** Reads outside of a transaction; as patient as {@link #transaction}. */
  <T> Uni<T> read(Function<Transaction, Uni<T>> work);
}
