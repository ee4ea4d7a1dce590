package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.store.Fleet;
import io.stoker.dispatcher.store.Hosts;
import io.stoker.dispatcher.store.OwedStatuses;
import io.stoker.dispatcher.store.Requests;
import io.stoker.dispatcher.store.Statuses;
import io.stoker.dispatcher.store.Transaction;
import java.util.Collection;
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
  public Fleet fleet() {
    return new SimFleet(tx);
  }

  @Override
  public Requests requests() {
    return new SimRequests(tx);
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
