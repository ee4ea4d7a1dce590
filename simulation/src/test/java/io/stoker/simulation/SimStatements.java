package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.Attempts;
import io.stoker.dispatcher.store.Backoffs;
import io.stoker.dispatcher.store.Budgets;
import io.stoker.dispatcher.store.Clock;
import io.stoker.dispatcher.store.Controls;
import io.stoker.dispatcher.store.Dependencies;
import io.stoker.dispatcher.store.Experiments;
import io.stoker.dispatcher.store.FanOuts;
import io.stoker.dispatcher.store.Fleet;
import io.stoker.dispatcher.store.Groups;
import io.stoker.dispatcher.store.Hosts;
import io.stoker.dispatcher.store.Intermediates;
import io.stoker.dispatcher.store.Jobs;
import io.stoker.dispatcher.store.LaunchFailures;
import io.stoker.dispatcher.store.Line;
import io.stoker.dispatcher.store.MemoryPeaks;
import io.stoker.dispatcher.store.OldRows;
import io.stoker.dispatcher.store.OwedStatuses;
import io.stoker.dispatcher.store.PendingWork;
import io.stoker.dispatcher.store.Placements;
import io.stoker.dispatcher.store.PreemptionReservations;
import io.stoker.dispatcher.store.QueueUsage;
import io.stoker.dispatcher.store.Requests;
import io.stoker.dispatcher.store.Statuses;
import io.stoker.dispatcher.store.Timers;
import io.stoker.dispatcher.store.Transaction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** The dispatcher's statements, over the tables of the simulation. */
record SimStatements(SimTransaction tx) implements Transaction {
  /** A statement: it takes effect when it is subscribed to. */
  static <T> Uni<T> statement(Supplier<T> work) {
    return Uni.createFrom().item(work);
  }

  /** In their order, so many at once. */
  static <T> List<List<T>> slices(List<T> all, int atOnce) {
    List<List<T>> slices = new ArrayList<>();
    for (int from = 0; from < all.size(); from += atOnce) {
      slices.add(all.subList(from, Math.min(all.size(), from + atOnce)));
    }
    return slices;
  }

  @Override
  public Uni<Long> now() {
    return statement(tx::now);
  }

  @Override
  public Uni<UnitOfWork> loadReported(Collection<String> jobs, boolean ends) {
    return loadJobs(jobs, ends);
  }

  @Override
  public Uni<UnitOfWork> loadJobs(Collection<String> jobs, boolean ends) {
    return statement(() -> Loads.jobs(tx, jobs, ends));
  }

  @Override
  public Uni<UnitOfWork> loadRequests(Collection<String> requests) {
    return statement(() -> Loads.requests(tx, requests));
  }

  @Override
  public Uni<Void> loadQueued(UnitOfWork unit, Collection<String> jobs) {
    return statement(
        () -> {
          Loads.queued(tx, unit, jobs);
          return null;
        });
  }

  @Override
  public Uni<Void> loadFree(UnitOfWork unit, Collection<String> jobs) {
    return loadQueued(unit, jobs.stream().filter(tx::jobIsFree).toList());
  }

  @Override
  public Uni<Void> write(UnitOfWork unit) {
    return statement(
        () -> {
          unit.jobs().updated().stream()
              .filter(job -> unit.holdsWithOthers(job.id()))
              .findFirst()
              .ifPresent(
                  job -> {
                    throw new Locks.TooWeak(job.id());
                  });
          tx.write(unit);
          return null;
        });
  }

  @Override
  public Uni<Void> writeLast(UnitOfWork unit) {
    return write(unit);
  }

  @Override
  public Uni<Void> writeLast(UnitOfWork unit, Uni<Void> other) {
    return write(unit).chain(() -> other);
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
  public Attempts attempts() {
    return new SimAttempts(tx);
  }

  @Override
  public Budgets budgets() {
    return new SimBudgets(tx);
  }

  @Override
  public Dependencies dependencies() {
    return new SimDependencies(tx);
  }

  @Override
  public Line line() {
    return new SimLine(tx);
  }

  @Override
  public Experiments experiments() {
    return new SimExperiments(tx);
  }

  /** No job says how far it is. */
  @Override
  public Intermediates intermediates() {
    throw new SimulationFailure("nobody has given intermediate results");
  }

  @Override
  public Placements placements() {
    return new SimPlacements(tx);
  }

  @Override
  public PreemptionReservations holds() {
    return new SimPreemptionReservations(tx);
  }

  @Override
  public LaunchFailures launchFailures() {
    return new SimLaunchFailures(tx);
  }

  @Override
  public MemoryPeaks memoryPeaks() {
    return new SimMemoryPeaks(tx);
  }

  @Override
  public QueueUsage queueUsage() {
    return new SimQueueUsage(tx);
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

  @Override
  public Controls controls() {
    return message -> statement(() -> tx.firstControl(message));
  }

  @Override
  public Clock clock() {
    return new SimClock(tx);
  }

  @Override
  public Jobs jobs() {
    return new SimJobs(tx);
  }

  @Override
  public FanOuts fanOuts() {
    return new SimFanOuts(tx);
  }

  @Override
  public Timers timers() {
    return new SimTimers(tx);
  }

  @Override
  public Backoffs backoffs() {
    return new SimBackoffs(tx);
  }

  @Override
  public Groups groups() {
    return new SimGroups(tx);
  }

  @Override
  public OldRows oldRows() {
    return new SimOldRows(tx);
  }

  @Override
  public Uni<PendingWork> pending() {
    return new SimPending(tx).look();
  }
}
