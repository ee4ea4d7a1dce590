package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.JobLock;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A process' way to the database: the dispatcher's port, over {@link SimDatabase}. */
final class SimStore implements Store {
  private final SimDatabase database;
  private final Life life;

  SimStore(SimDatabase database, Life life) {
    this.database = database;
    this.life = life;
  }

  @Override
  public <T> Uni<T> transaction(String name, Function<Transaction, Uni<T>> work) {
    return database.transaction(life, tx -> now(work.apply(new SimStatements(tx))));
  }

  @Override
  public <T> Uni<T> holdingJobs(String name, BiFunction<Transaction, JobLock, Uni<T>> work) {
    return transaction(name, tx -> work.apply(tx, JobLock.SHARED))
        .onFailure(Locks.TooWeak.class)
        .recoverWithUni(() -> transaction(name, tx -> work.apply(tx, JobLock.CHANGES)));
  }

  @Override
  public <T> Uni<T> once(String name, Function<Transaction, Uni<T>> work) {
    return database.once(life, tx -> now(work.apply(new SimStatements(tx))));
  }

  @Override
  public <T> Uni<T> read(Function<Transaction, Uni<T>> work) {
    return transaction("read", work);
  }

  /** What a transaction reads it has at once. */
  private static <T> T now(Uni<T> work) {
    AtomicReference<T> result = new AtomicReference<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    boolean[] done = new boolean[1];
    work.subscribe()
        .with(
            item -> {
              result.set(item);
              done[0] = true;
            },
            failure::set);
    if (failure.get() instanceof RuntimeException e) {
      throw e;
    }
    if (failure.get() instanceof Error e) {
      throw e;
    }
    if (failure.get() != null || !done[0]) {
      throw new SimulationFailure("a transaction waits for something", failure.get());
    }
    return result.get();
  }
}
