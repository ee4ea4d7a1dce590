package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.store.JobLock;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/** A process' way to the database: the dispatcher's port, over {@link SimDatabase}. */
final class SimStore implements Store {
  private final SimDatabase database;
  private final Life life;
  private final Predicate<String> alive;
  private final FleetMemory fleet;
  private List<LaunchFailure> heardFailures = List.of();

  /**
   * @param alive hosts that the process hears of
   * @param fleet what it remembers
   */
  SimStore(SimDatabase database, Life life, Predicate<String> alive, FleetMemory fleet) {
    this.database = database;
    this.life = life;
    this.alive = alive;
    this.fleet = fleet;
  }

  boolean hears(String host) {
    return alive.test(host);
  }

  /** The attempts that it thinks to be open. */
  List<AttemptRow> remembered() {
    return fleet.open();
  }

  /** What it was told last of jobs that could not be started. */
  List<LaunchFailure> heardFailures() {
    return heardFailures;
  }

  @Override
  public <T> Uni<T> transaction(String name, Function<Transaction, Uni<T>> work) {
    SimTransaction[] last = new SimTransaction[1];
    Function<SimTransaction, T> whole =
        tx -> {
          last[0] = tx.by(this);
          return now(work.apply(new SimStatements(tx)));
        };
    return (database.failsAtOnce() ? database.once(life, whole) : database.transaction(life, whole))
        .invoke(done -> last[0].heard().ifPresent(all -> heardFailures = all));
  }

  @Override
  public <T> Uni<T> holdingJobs(String name, BiFunction<Transaction, JobLock, Uni<T>> work) {
    return transaction(name, tx -> work.apply(tx, JobLock.SHARED))
        .onFailure(Locks.TooWeak.class)
        .recoverWithUni(() -> transaction(name, tx -> work.apply(tx, JobLock.CHANGES)));
  }

  @Override
  public <T> Uni<T> once(String name, Function<Transaction, Uni<T>> work) {
    return database.once(life, tx -> now(work.apply(new SimStatements(tx.by(this)))));
  }

  @Override
  public <T> Uni<T> read(Function<Transaction, Uni<T>> work) {
    return transaction("read", work);
  }

  @Override
  public <T> Uni<T> readOnce(Function<Transaction, Uni<T>> work) {
    return once("read", work);
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
