package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.Jobs;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Loads jobs for changes, with all that their ends need, in one round trip: who shares a job, and
 * what is open of it, is read in statements of its own that follow the lock, for a statement sees
 * the rows as they were when it began, and may have waited for the lock since.
 *
 * @param read is told of each first request
 */
record JobLoader(StatelessSession session, Consumer<RequestTable.First> read) {
  /**
   * A unit of work that holds these jobs locked, their open attempts and first requests, and knows
   * which are shared.
   *
   * @param ends whether jobs may end: loads successors, too
   */
  Uni<UnitOfWork> load(Collection<String> jobs, boolean ends) {
    return Uni.combine()
        .all()
        .unis(
            JobTable.lock(session, jobs),
            AttemptTable.ofJobs(session, jobs),
            ends
                ? JobTable.lockSuccessors(session, jobs)
                : Uni.createFrom().item(List.<JobRow>of()),
            RequestTable.first(session, jobs))
        .asTuple()
        .chain(
            rows -> {
              UnitOfWork unit = rows.getItem1().unit();
              unit.attempts().loadAll(rows.getItem2());
              rows.getItem4().forEach(first -> note(unit, first));
              return successors(unit, rows.getItem3()).replaceWith(unit);
            });
  }

  /** Loads jobs in line, which have no open attempts, for placement. */
  Uni<Void> queued(UnitOfWork unit, Collection<String> jobs) {
    return queued(JobTable.lock(session, jobs), unit, jobs);
  }

  /** The same of those that nobody else has locked. */
  Uni<Void> free(UnitOfWork unit, Collection<String> jobs) {
    return queued(JobTable.lockFree(session, jobs), unit, jobs);
  }

  private Uni<Void> queued(Uni<Jobs.Locked> lock, UnitOfWork unit, Collection<String> jobs) {
    return Uni.combine()
        .all()
        .unis(lock, RequestTable.first(session, jobs))
        .asTuple()
        .invoke(
            rows -> {
              rows.getItem1().jobs().forEach(unit::loadJob);
              rows.getItem2().stream()
                  .filter(first -> unit.jobs().find(first.job()).isPresent())
                  .forEach(first -> note(unit, first));
            })
        .replaceWithVoid();
  }

  private Uni<Void> successors(UnitOfWork unit, List<JobRow> successors) {
    successors.forEach(unit::loadJob);
    return RequestTable.first(session, successors.stream().map(JobRow::id).toList())
        .invoke(all -> all.forEach(first -> note(unit, first)))
        .replaceWithVoid();
  }

  private void note(UnitOfWork unit, RequestTable.First first) {
    read.accept(first);
    if (first.shared()) {
      unit.loadShared(List.of(first.job()));
    }
    if (first.dependedOn()) {
      unit.loadWithDependents(List.of(first.request().id()));
    }
    if (unit.requests().find(first.request().id()).isEmpty()) {
      unit.requests().load(first.request());
    }
  }
}
