package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.store.Budgets;
import io.stoker.dispatcher.store.Dependencies;
import io.stoker.dispatcher.store.Experiments;
import io.stoker.dispatcher.store.Fleet;
import io.stoker.dispatcher.store.Hosts;
import io.stoker.dispatcher.store.Jobs;
import io.stoker.dispatcher.store.Line;
import io.stoker.dispatcher.store.OwedStatuses;
import io.stoker.dispatcher.store.Requests;
import io.stoker.dispatcher.store.Statuses;
import io.stoker.dispatcher.store.Transaction;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** The dispatcher's statements, over the tables of the simulation. */
record SimStatements(SimTransaction tx) implements Transaction {
  /** A statement: it takes effect when it is subscribed to. */
  static <T> Uni<T> statement(Supplier<T> work) {
    return Uni.createFrom().item(work);
  }

  @Override
  public Uni<Long> now() {
    return statement(tx::now);
  }

  @Override
  public Uni<Ledger> loadJobs(Collection<String> jobs, boolean ends) {
    return statement(() -> Loads.jobs(tx, jobs, ends));
  }

  @Override
  public Uni<Ledger> loadRequests(Collection<String> requests) {
    return statement(() -> Loads.requests(tx, requests));
  }

  @Override
  public Uni<Void> write(Ledger ledger) {
    return statement(
        () -> {
          ledger.jobs().updated().stream()
              .filter(job -> ledger.holdsWithOthers(job.id()))
              .findFirst()
              .ifPresent(
                  job -> {
                    throw new Locks.TooWeak(job.id());
                  });
          tx.write(ledger);
          return null;
        });
  }

  @Override
  public Uni<Void> writeLast(Ledger ledger) {
    return write(ledger);
  }

  @Override
  public Uni<Void> writeLast(Ledger ledger, Uni<Void> other) {
    return write(ledger).chain(() -> other);
  }

  @Override
  public Jobs jobs() {
    return (fingerprints, how) ->
        statement(() -> new Jobs.Locked(tx.now(), tx.lockByFingerprint(fingerprints, how), how));
  }

  @Override
  public Fleet fleet() {
    return new SimFleet(tx);
  }

  @Override
  public Requests requests() {
    return new SimRequests(tx);
  }

  @Override
  public Budgets budgets() {
    return groups -> statement(() -> tx.lockBudgets(groups));
  }

  @Override
  public Dependencies dependencies() {
    return new SimDependencies(tx);
  }

  /** No group of the simulation has a plan. */
  @Override
  public Experiments experiments() {
    return groups -> statement(List::of);
  }

  @Override
  public Line line() {
    return (queue, most) ->
        statement(
            () ->
                tx.tables().ready.values().stream()
                    .filter(row -> row.queue().equals(queue))
                    .limit(most)
                    .count());
  }

  @Override
  public Statuses statuses() {
    return new SimStatuses(tx);
  }

  @Override
  public OwedStatuses owedStatuses() {
    return new SimOwedStatuses(tx);
  }

  @Override
  public Hosts hosts() {
    return new SimHosts(tx);
  }
}
