package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.Collection;
import java.util.List;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Loads jobs for changes, with all that their ends need, in as few statements as may be: who shares
 * a job, and what is open of it, is read in statements of its own after the lock, for a statement
 * sees the rows as they were when it began, and may have waited for the lock since.
 */
public final class JobLoader {
  private JobLoader() {}

  /**
   * A ledger that holds these jobs locked, their open attempts and first requests, and knows which
   * are shared.
   *
   * @param ends whether jobs may end: loads successors, too
   */
  public static Uni<Ledger> load(StatelessSession session, Collection<String> jobs, boolean ends) {
    return JobTable.lock(session, jobs)
        .map(JobTable.Locked::ledger)
        .call(
            ledger ->
                AttemptTable.ofJobs(session, jobs)
                    .invoke(ledger.attempts()::loadAll)
                    .chain(() -> ends ? successors(session, ledger) : nothing())
                    .chain(() -> requests(session, ledger)));
  }

  private static Uni<Void> nothing() {
    return Uni.createFrom().voidItem();
  }

  /** Loads jobs in line, which have no open attempts, for placement. */
  public static Uni<Void> queued(StatelessSession session, Ledger ledger, Collection<String> jobs) {
    return JobTable.lock(session, jobs)
        .invoke(locked -> locked.jobs().forEach(ledger::loadJob))
        .chain(() -> requests(session, ledger));
  }

  private static Uni<Void> successors(StatelessSession session, Ledger ledger) {
    List<String> fingerprints =
        ledger.jobs().all().stream()
            .filter(job -> job.role() == JobRow.Role.HOLDER)
            .map(JobRow::fingerprint)
            .toList();
    return JobTable.lockSuccessors(session, fingerprints)
        .invoke(rows -> rows.forEach(ledger::loadJob))
        .replaceWithVoid();
  }

  private static Uni<Void> requests(StatelessSession session, Ledger ledger) {
    return RequestTable.first(session, ledger.jobs().all().stream().map(JobRow::id).toList())
        .invoke(all -> all.forEach(first -> note(ledger, first)))
        .replaceWithVoid();
  }

  private static void note(Ledger ledger, RequestTable.First first) {
    if (first.shared()) {
      ledger.loadShared(List.of(first.job()));
    }
    if (first.dependedOn()) {
      ledger.loadWithDependents(List.of(first.request().id()));
    }
    if (ledger.requests().find(first.request().id()).isEmpty()) {
      ledger.requests().load(first.request());
    }
  }
}
