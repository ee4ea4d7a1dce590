package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.Collection;
import java.util.List;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Loads jobs for changes, with all that their ends need. */
public final class JobLoader {
  private JobLoader() {}

  /**
   * A ledger that holds these jobs locked, their open attempts and first requests, and knows which
   * are shared.
   *
   * @param ends whether jobs may end: loads successors and who is depended on, too
   */
  public static Uni<Ledger> load(StatelessSession session, Collection<String> jobs, boolean ends) {
    return Database.now(session).map(Ledger::new).call(ledger -> into(session, ledger, jobs, ends));
  }

  /** As {@link #load}, into a ledger that may hold other rows already. */
  public static Uni<Void> into(
      StatelessSession session, Ledger ledger, Collection<String> jobs, boolean ends) {
    return JobTable.lock(session, jobs)
        .invoke(rows -> rows.forEach(ledger::loadJob))
        .chain(() -> AttemptTable.ofJobs(session, jobs))
        .invoke(ledger.attempts()::loadAll)
        .chain(() -> RequestTable.sharedAmong(session, jobs))
        .invoke(ledger::loadShared)
        .chain(() -> ends ? loadEnds(session, ledger) : Uni.createFrom().voidItem())
        .chain(() -> RequestTable.read(session, firstRequests(ledger)))
        .invoke(
            rows ->
                rows.stream()
                    .filter(row -> ledger.requests().find(row.id()).isEmpty())
                    .forEach(ledger.requests()::load))
        .replaceWithVoid();
  }

  /** Loads jobs in line, which have no open attempts, for placement. */
  public static Uni<Void> queued(StatelessSession session, Ledger ledger, Collection<String> jobs) {
    return JobTable.lock(session, jobs)
        .invoke(rows -> rows.forEach(ledger::loadJob))
        .chain(() -> RequestTable.sharedAmong(session, jobs))
        .invoke(ledger::loadShared)
        .chain(() -> RequestTable.read(session, firstRequests(ledger)))
        .invoke(ledger.requests()::loadAll)
        .replaceWithVoid();
  }

  private static Uni<Void> loadEnds(StatelessSession session, Ledger ledger) {
    List<String> fingerprints =
        ledger.jobs().all().stream()
            .filter(job -> job.role() == JobRow.Role.HOLDER)
            .map(JobRow::fingerprint)
            .toList();
    return JobTable.lockSuccessors(session, fingerprints)
        .invoke(rows -> rows.forEach(ledger::loadJob))
        .chain(
            () ->
                RequestTable.sharedAmong(
                    session, ledger.jobs().all().stream().map(JobRow::id).toList()))
        .invoke(ledger::loadShared)
        .chain(() -> DependencyTable.dependedOnAmong(session, firstRequests(ledger)))
        .invoke(ledger::loadWithDependents)
        .replaceWithVoid();
  }

  private static List<String> firstRequests(Ledger ledger) {
    return ledger.jobs().all().stream().map(JobRow::firstRequest).distinct().toList();
  }
}
