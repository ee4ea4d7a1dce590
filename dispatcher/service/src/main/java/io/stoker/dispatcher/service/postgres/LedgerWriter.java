package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.GroupTally;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.Rows.Change;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Writes what a transaction changed, in one round trip whatever the number of rows and tables. */
public final class LedgerWriter {
  private LedgerWriter() {}

  /**
   * Writes the difference between what the ledger loaded and what it holds.
   *
   * @return fails with {@link ConcurrentInsert} if another replica inserted one of the rows first:
   *     the transaction is then to be done again, and finds them; with {@link LockTooWeak}, before
   *     anything is written, if it would change jobs that it holds together with others
   */
  public static Uni<Void> write(StatelessSession session, Ledger ledger) {
    List<Change<JobRow>> changed = ledger.jobs().changes();
    List<String> heldByOthersToo =
        changed.stream().map(job -> job.after().id()).filter(ledger::holdsWithOthers).toList();
    if (!heldByOthersToo.isEmpty()) {
      return Uni.createFrom().failure(new LockTooWeak(heldByOthersToo));
    }
    Set<String> taken = taken(changed);
    Map<Boolean, List<Change<JobRow>>> handedOver =
        changed.stream().collect(Collectors.partitioningBy(job -> handedOver(job.after(), taken)));
    Write newJobs = JobTable.insert(ledger.jobs().inserted());
    Write newRequests = RequestTable.insert(ledger.requests().inserted());
    List<Write> writes =
        List.of(
            newJobs,
            newRequests,
            JobTable.change(handedOver.get(false)),
            RequestTable.change(ledger.requests().changes()),
            ReadyTable.delete(List.copyOf(ledger.takenFromReady())),
            ReadyTable.insert(ledger.madeReady()),
            BackoffTable.delete(List.copyOf(ledger.backoffsEnded())),
            BackoffTable.insert(ledger.backedOff()),
            AttemptTable.delete(ledger.attempts().removed()),
            AttemptTable.change(ledger.attempts().changes()),
            AttemptTable.insert(ledger.attempts().inserted()),
            DependencyTable.delete(ledger.dependencies().removed()),
            DependencyTable.insert(ledger.dependencies().inserted()),
            FanOutTable.delete(ledger.fanOuts().removed()),
            FanOutTable.update(ledger.fanOuts().updated()),
            FanOutTable.insert(ledger.fanOuts().inserted()),
            TimerTable.delete(List.copyOf(ledger.stoppedTimers())),
            TimerTable.insert(ledger.startedTimers()),
            DueStatusTable.mark(ledger.due()),
            UsageTable.insert(ledger.usage()),
            PastAttemptTable.insert(ledger.past()),
            IntermediateTable.insert(ledger.intermediates()),
            MemoryTable.insert(ledger.learned()),
            LaunchFailureTable.insert(ledger.launchFailures()),
            GroupBudgetTable.update(ledger.budgets().updated()),
            GroupTable.insert(GroupTally.of(ledger)));
    return Write.run(session, List.of(JobTable.change(handedOver.get(true))))
        .chain(() -> Write.run(session, writes))
        .invoke(
            counts -> {
              check("job", newJobs, counts.get(0));
              check("request", newRequests, counts.get(1));
            })
        .replaceWithVoid();
  }

  /** The fingerprints that somebody holds, or waits for, after the change. */
  private static Set<String> taken(List<Change<JobRow>> changed) {
    return changed.stream()
        .map(Change::after)
        .filter(job -> job.role() != Role.NONE)
        .map(JobRow::fingerprint)
        .collect(Collectors.toSet());
  }

  /**
   * A holder whose role somebody else takes over: it is written first, for the index on fingerprint
   * and role is unique at every statement.
   */
  private static boolean handedOver(JobRow job, Set<String> taken) {
    return job.role() == Role.NONE && taken.contains(job.fingerprint());
  }

  private static void check(String table, Write insert, int inserted) {
    if (inserted != insert.rows()) {
      throw new ConcurrentInsert(table);
    }
  }
}
