package io.stoker.dispatcher.service.postgres;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The statements of a {@link Transaction}, each where its table is. */
public final class PostgresTransaction implements Transaction {
  private final StatelessSession session;
  private final WrittenRows written;
  private final ClockEstimate clock;

  /** Who wrote the first requests that were read, by id. */
  private final Map<String, String> writers = new HashMap<>();

  private final List<Wrote> wrote = new ArrayList<>();

  /** What it goes by that it has not read; null if nothing. */
  private Assumed assumed;

  /** A unit of work that was written, and this transaction. */
  private record Wrote(UnitOfWork unit, Writer by) {}

  /** One that goes by what it reads itself. */
  public PostgresTransaction(StatelessSession session) {
    this(session, new WrittenRows(), new ClockEstimate());
  }

  PostgresTransaction(StatelessSession session, WrittenRows written, ClockEstimate clock) {
    this.session = session;
    this.written = written;
    this.clock = clock;
  }

  @Override
  public Uni<Long> now() {
    return Database.now(session);
  }

  @Override
  public Uni<UnitOfWork> loadJobs(Collection<String> jobs, boolean ends) {
    return loader().load(jobs, ends).invoke(unit -> clock.read(unit.now()));
  }

  @Override
  public Uni<UnitOfWork> loadReported(Collection<String> jobs, boolean ends) {
    Optional<WrittenRows.Known> known = written.find(jobs);
    OptionalLong now = clock.now();
    if (known.isEmpty() || now.isEmpty()) {
      return loadJobs(jobs, ends);
    }
    assumed = Assumed.of(known.get(), now.getAsLong());
    return Uni.createFrom().item(assumed.unit());
  }

  @Override
  public Uni<UnitOfWork> loadRequests(Collection<String> requests) {
    return RequestLoader.load(session, requests);
  }

  @Override
  public Uni<Void> loadQueued(UnitOfWork unit, Collection<String> jobs) {
    return loader().queued(unit, jobs);
  }

  @Override
  public Uni<Void> loadFree(UnitOfWork unit, Collection<String> jobs) {
    return loader().free(unit, jobs);
  }

  private JobLoader loader() {
    return new JobLoader(session, first -> writers.put(first.request().id(), first.writer()));
  }

  @Override
  public Uni<Void> write(UnitOfWork unit) {
    Uni<Void> write =
        UnitOfWorkWriter.write(session, unit)
            .invoke(by -> by.ifPresent(writer -> wrote.add(new Wrote(unit, writer))))
            .replaceWithVoid();
    return assumed == null || assumed.unit() != unit ? write : both(checked(), write);
  }

  private Uni<Void> checked() {
    return assumed
        .check(session)
        .invoke(clock::read)
        .onFailure(RowsChanged.class)
        .invoke(() -> written.forget(assumed.jobs()))
        .replaceWithVoid();
  }

  @Override
  public Uni<Void> writeLast(UnitOfWork unit) {
    return Queries.last(session, write(unit));
  }

  @Override
  public Uni<Void> writeLast(UnitOfWork unit, Uni<Void> other) {
    return Queries.last(session, both(write(unit), other));
  }

  private static Uni<Void> both(Uni<Void> one, Uni<Void> other) {
    return Uni.combine().all().unis(one, other).discardItems();
  }

  /** It has committed: what it wrote need not be read again. */
  void committed() {
    wrote.forEach(one -> written.remember(one.unit(), one.by(), writers));
  }

  @Override
  public Fleet fleet() {
    return new FleetTable(session);
  }

  @Override
  public Requests requests() {
    return new RequestTable(session);
  }

  @Override
  public Attempts attempts() {
    return new AttemptTable(session);
  }

  @Override
  public Line line() {
    return new ReadyTable(session);
  }

  @Override
  public Experiments experiments() {
    return new ExperimentTable(session);
  }

  @Override
  public Intermediates intermediates() {
    return new IntermediateTable(session);
  }

  @Override
  public Placements placements() {
    return new PlacementQueries(session);
  }

  @Override
  public PreemptionReservations holds() {
    return new PreemptionReservationTable(session);
  }

  @Override
  public LaunchFailures launchFailures() {
    return new LaunchFailureTable(session);
  }

  @Override
  public MemoryPeaks memoryPeaks() {
    return new MemoryTable(session);
  }

  @Override
  public QueueUsage queueUsage() {
    return new UsageTable(session);
  }

  @Override
  public Statuses statuses() {
    return new StatusQueries(session);
  }

  @Override
  public OwedStatuses owedStatuses() {
    return new DueStatusTable(session);
  }

  @Override
  public Jobs jobs() {
    return new JobTable(session);
  }

  @Override
  public Budgets budgets() {
    return new GroupBudgetTable(session);
  }

  @Override
  public Dependencies dependencies() {
    return new DependencyTable(session);
  }

  @Override
  public Hosts hosts() {
    return new HostTable(session);
  }

  @Override
  public Controls controls() {
    return new ControlTable(session);
  }

  @Override
  public Clock clock() {
    return new ClockTable(session);
  }

  @Override
  public FanOuts fanOuts() {
    return new FanOutTable(session);
  }

  @Override
  public Timers timers() {
    return new TimerTable(session);
  }

  @Override
  public Backoffs backoffs() {
    return new BackoffTable(session);
  }

  @Override
  public Groups groups() {
    return new GroupTable(session);
  }

  @Override
  public OldRows oldRows() {
    return new RetentionTable(session);
  }

  @Override
  public Uni<PendingWork> pending() {
    return PendingWorkQuery.look(session);
  }
}
