package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Collection;

/**
 * The statements of one transaction. Statements that are begun together travel together. Locks are
 * taken in one order by all transactions: jobs before requests, each by id.
 */
public interface Transaction {
  /** The store's clock, ms since 1970: what is due is due by it. */
  Uni<Long> now();

  /**
   * A unit of work that holds these jobs locked, their open attempts and first requests, and knows
   * which are shared.
   *
   * @param ends whether jobs may end: loads successors, too
   */
  Uni<UnitOfWork> loadJobs(Collection<String> jobs, boolean ends);

  /**
   * As {@link #loadJobs}, for reports of attempts that change nothing beside these rows. The store
   * may go by what it remembers of them, and makes sure that it still is so when the unit of work
   * is written, which has to follow; where it is not, all is done again.
   */
  Uni<UnitOfWork> loadReported(Collection<String> jobs, boolean ends);

  /**
   * A unit of work that holds these requests, their jobs with all that ends need, and the jobs'
   * other requests.
   */
  Uni<UnitOfWork> loadRequests(Collection<String> requests);

  /** Has a unit of work hold jobs in line, which have no open attempts, for placement. */
  Uni<Void> loadQueued(UnitOfWork unit, Collection<String> jobs);

  /** As {@link #loadQueued}, of those jobs that nobody else has locked. */
  Uni<Void> loadFree(UnitOfWork unit, Collection<String> jobs);

  /** Writes the difference between what a unit of work loaded and what it holds. */
  Uni<Void> write(UnitOfWork unit);

  /** As {@link #write}, as the last statement, which commits. */
  Uni<Void> writeLast(UnitOfWork unit);

  /** As {@link #writeLast(UnitOfWork)}, with another write beside it. */
  Uni<Void> writeLast(UnitOfWork unit, Uni<Void> other);

  /** What is open. */
  Attempts attempts();

  /** What placements say. */
  Placements placements();

  /** Room that is made for jobs in line. */
  PreemptionReservations holds();

  /** Jobs that could not be started. */
  LaunchFailures launchFailures();

  /** What was measured. */
  MemoryPeaks memoryPeaks();

  /** What queues have used. */
  QueueUsage queueUsage();

  /** Who schedules. */
  Fleet fleet();

  Requests requests();

  /** What requests show. */
  Statuses statuses();

  /** Statuses that are owed. */
  OwedStatuses owedStatuses();

  Jobs jobs();

  Budgets budgets();

  Dependencies dependencies();

  Experiments experiments();

  Intermediates intermediates();

  Line line();

  /** The table of hosts. */
  Hosts hosts();

  /** Control messages. */
  Controls controls();

  /** The clock of all transactions. */
  Clock clock();

  FanOuts fanOuts();

  Timers timers();

  Backoffs backoffs();

  Groups groups();

  OldRows oldRows();

  /** What waits for somebody to see to it. */
  Uni<PendingWork> pending();
}
