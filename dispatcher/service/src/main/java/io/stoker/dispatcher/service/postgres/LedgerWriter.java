package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.GroupTally;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.Rows.Change;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.runtime.Faults;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Writes what a transaction changed, in one round trip whatever the number of rows and tables. */
public final class LedgerWriter {
  private LedgerWriter() {}

  /** What a row's insertion violates where another replica inserted it first. */
  private static final List<String> TAKEN =
      List.of("\"job_pkey\"", "\"job_fingerprint\"", "\"request_pkey\"");

  /**
   * Writes the difference between what the ledger loaded and what it holds.
   *
   * @return the transaction, if anything was to be written; fails with {@link ConcurrentInsert} if
   *     another replica inserted one of the rows first: the transaction is then to be done again,
   *     and finds them; with {@link LockTooWeak}, before anything is written, if it would change
   *     jobs that it holds together with others
   */
  public static Uni<Optional<Writer>> write(StatelessSession session, Ledger ledger) {
    return Uni.createFrom().deferred(() -> send(session, ledger));
  }

  private static Uni<Optional<Writer>> send(StatelessSession session, Ledger ledger) {
    List<Change<JobRow>> changed = ledger.jobs().changes();
    List<String> heldByOthersToo =
        changed.stream().map(job -> job.after().id()).filter(ledger::holdsWithOthers).toList();
    if (!heldByOthersToo.isEmpty()) {
      return Uni.createFrom().failure(new LockTooWeak(heldByOthersToo));
    }
    Set<String> taken = taken(changed);
    Map<Boolean, List<Change<JobRow>>> handedOver =
        changed.stream().collect(Collectors.partitioningBy(job -> handedOver(job.after(), taken)));
    List<Write> writes =
        List.of(
            JobTable.insert(ledger.jobs().inserted()),
            RequestTable.insert(ledger.requests().inserted()),
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
    return Uni.combine()
        .all()
        .unis(
            Write.done(session, List.of(JobTable.change(handedOver.get(true)))),
            Write.done(session, writes))
        // Who takes a role over is among the others.
        .combinedWith((handed, all) -> Optional.ofNullable(all.by()))
        .onFailure(LedgerWriter::isTaken)
        .transform(ConcurrentInsert::new);
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

  private static boolean isTaken(Throwable error) {
    String said = Fault.sentence(error);
    return Faults.violatesConstraint(error) && TAKEN.stream().anyMatch(said::contains);
  }
}
