package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.JobLock;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The {@link Store} in Postgres. */
@ApplicationScoped
public class PostgresStore implements Store {
  private final Database database;

  PostgresStore(Database database) {
    this.database = database;
  }

  @Override
  public <T> Uni<T> transaction(String name, Function<Transaction, Uni<T>> work) {
    return database.transaction(name, session -> work.apply(new PostgresTransaction(session)));
  }

  @Override
  public <T> Uni<T> holdingJobs(String name, BiFunction<Transaction, JobLock, Uni<T>> work) {
    return database.holdingJobs(
        name, (session, how) -> work.apply(new PostgresTransaction(session), how));
  }

  @Override
  public <T> Uni<T> once(String name, Function<Transaction, Uni<T>> work) {
    return database.once(name, session -> work.apply(new PostgresTransaction(session)));
  }

  @Override
  public <T> Uni<T> read(Function<Transaction, Uni<T>> work) {
    return database.read(session -> work.apply(new PostgresTransaction(session)));
  }
}
